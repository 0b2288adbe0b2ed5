/** A list: one input for each element. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { elementOf } from '../../../api/declarations.ts';
import { Button } from '../../../parts/button.tsx';
import { elementsIn } from '../../../parts/inputs/offer-values.ts';
import type { InputProps } from './input-props.ts';
import { ScalarInput } from './scalar-input.tsx';

export function ListInput({ id, field, entry, isLocked, isWrong, onInput }: InputProps) {
  const items = Array.isArray(entry) ? (entry as readonly string[]) : [];
  const element = elementOf(field);
  const name = id.replace('field-', '');

  /** The element that gets the focus when it is there. */
  const wanted = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    if (wanted.current !== undefined) document.getElementById(`${id}-${wanted.current}`)?.focus();
    wanted.current = undefined;
  }, [items.length]);
  const preset =
    element.type === 'boolean' ? 'true' : element.type === 'choice' ? String((element.of as readonly string[])[0]) : '';
  return (
    <fieldset
      id={id}
      class="list-input"
      aria-labelledby={`${id}-label`}
      aria-describedby={`${id}-hint ${id}-problem`}
      data-wrong={isWrong}
    >
      {items.map((item, place) => (
        <div class="list-item" key={place}>
          <ScalarInput
            id={`${id}-${place}`}
            field={element}
            entry={item}
            isLocked={isLocked}
            isWrong={false}
            label={`${name}, element ${place + 1}`}
            onInput={(value) => onInput(items.with(place, String(value ?? '')))}
          />
          {isLocked || element.type === 'json' ? null : (
            <Split text={item} onSplit={(elements) => onInput(items.toSpliced(place, 1, ...elements))} />
          )}
          {isLocked ? null : (
            <Button
              kind="quiet"
              icon="close"
              label={`Remove element ${place + 1} of ${name}`}
              onPress={() => {
                onInput(items.toSpliced(place, 1));
                wanted.current = Math.max(0, place - 1);
              }}
            />
          )}
        </div>
      ))}
      {items.length === 0 ? <span class="soft">{entry === null ? 'no value' : 'no elements'}</span> : null}
      {isLocked ? null : (
        <Button
          icon="plus"
          kind="quiet"
          onPress={() => {
            onInput([...items, preset]);
            wanted.current = items.length;
          }}
        >
          Add an element<span class="unseen"> to {name}</span>
        </Button>
      )}
    </fieldset>
  );
}

/** Several elements that were typed or pasted as one. */
function Split({ text, onSplit }: { readonly text: string; readonly onSplit: (elements: readonly string[]) => void }) {
  const elements = elementsIn(text);
  if (elements === undefined) return null;
  return <Button onPress={() => onSplit(elements)}>Split into {elements.length}</Button>;
}
