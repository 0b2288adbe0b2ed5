/** A day or a time: typed in the one form of the console, or chosen from the calendar of the browser. */
import { useRef } from 'preact/hooks';
import { Button } from '../button.tsx';
import './moment-input.css';
import { timeIn, timeText } from '../values/moment-text.ts';

export type MomentInputProps = {
  readonly id?: string;
  readonly kind: 'date' | 'timestamp';
  readonly label?: string | undefined;
  readonly value: string;
  readonly placeholder?: string;
  readonly isLocked?: boolean;
  readonly isWrong?: boolean;
  readonly describedBy?: string | undefined;
  readonly onInput: (value: string) => void;
};

export function MomentInput({
  id,
  kind,
  label,
  value,
  placeholder,
  isLocked = false,
  onInput,
  ...look
}: MomentInputProps) {
  const calendar = useRef<HTMLInputElement>(null);
  const time = timeIn(value);
  return (
    <span class="moment-input">
      <input
        id={id}
        class={`input ${kind}`}
        type="text"
        autocomplete="off"
        disabled={isLocked}
        aria-label={label}
        aria-invalid={look.isWrong === true ? true : undefined}
        aria-describedby={look.describedBy}
        placeholder={placeholder ?? (kind === 'date' ? '2026-11-15' : '2026-11-15 08:00:00 (UTC)')}
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      {isLocked ? null : (
        <>
          <Button
            icon="calendar"
            kind="quiet"
            label={`Choose ${kind === 'date' ? 'a day' : 'a time (UTC)'}`}
            onPress={() => calendar.current?.showPicker()}
          />
          <input
            ref={calendar}
            class="calendar"
            type={kind === 'date' ? 'date' : 'datetime-local'}
            step={1}
            tabIndex={-1}
            aria-hidden="true"
            value={time === undefined ? '' : kind === 'date' ? time.slice(0, 10) : time.slice(0, 19)}
            onInput={({ currentTarget: { value: chosen } }) => {
              const at = timeIn(chosen);
              if (at !== undefined) onInput(kind === 'date' ? chosen : timeText(at));
            }}
          />
        </>
      )}
    </span>
  );
}
