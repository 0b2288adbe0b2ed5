/** The references as a picture, and in words. A box leads to its collection. */
import { useMemo, useRef, useState } from 'preact/hooks';
import { unquoted } from '../../../api/json.ts';
import { deletionWords } from '../../../schema/field-types.ts';
import type { FileCollection } from '../../../schema/file/model.ts';
import { go, hrefOf } from '../../../state/address.ts';
import { type Box, charactersIn, headHeight, layOut, rowHeight, type Shown } from './layout.ts';
import { useZoom, ZoomButtons } from './zoom.tsx';

export type PictureProps = {
  readonly collections: readonly FileCollection[];
  /** Those that the file does not declare. */
  readonly others: readonly string[];
};

/** References are always among them. */
const mostRows = 8;

export function Picture({ collections, others }: PictureProps) {
  const [active, setActive] = useState<string | undefined>();
  const layout = useMemo(
    () => layOut([...collections.map(shownOf), ...referredTo(collections, others)]),
    [collections],
  );
  const words = collections.flatMap(wordsOf);
  const { boxes, lines, width, height } = layout;
  const zoom = useZoom();
  const frame = useRef<HTMLElement>(null);
  const sized = (length: number) => Math.ceil((length * zoom.percent) / 100);
  return (
    <>
      <ZoomButtons zoom={zoom} fitting={() => ((frame.current?.clientWidth ?? width) / width) * 100} />
      <section ref={frame} class="picture card" aria-label="References between collections">
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: the section has the name, and each box has its own */}
        <svg width={sized(width)} height={sized(height)} viewBox={`0 0 ${width} ${height}`}>
          <defs>
            <marker
              id="picture-arrow"
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="8"
              markerHeight="8"
              orient="auto"
            >
              <path d="M0 0.5L8 4L0 7.5z" />
            </marker>
          </defs>
          {boxes.map((box) => (
            <CollectionBox key={box.name} box={box} isDeclared={!others.includes(box.name)} onActive={setActive} />
          ))}
          {lines.map(({ from, to, path }) => (
            <path
              key={`${from} ${path}`}
              class={from === active || to === active ? 'picture-line active' : 'picture-line'}
              d={path}
              marker-end="url(#picture-arrow)"
            />
          ))}
        </svg>
      </section>
      <section aria-labelledby="picture-words">
        <h2 id="picture-words">In words</h2>
        {words.length === 0 ? (
          <p class="soft">No collection refers to another one.</p>
        ) : (
          <ul class="picture-words">
            {words.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        )}
      </section>
    </>
  );
}

type CollectionBoxProps = {
  readonly box: Box;
  readonly isDeclared: boolean;
  readonly onActive: (name: string | undefined) => void;
};

function CollectionBox({ box, isDeclared, onActive }: CollectionBoxProps) {
  const { name, rows, x, y, width, height } = box;
  const href = isDeclared ? hrefOf(['-', 'schema'], `collection=${name}`) : hrefOf([name]);
  const cut = (text: string) => (text.length > charactersIn(box) ? `${text.slice(0, charactersIn(box) - 1)}…` : text);
  return (
    <a
      class="picture-box"
      href={href}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        go(href);
      }}
      onMouseEnter={() => onActive(name)}
      onMouseLeave={() => onActive(undefined)}
      onFocus={() => onActive(name)}
      onBlur={() => onActive(undefined)}
    >
      <rect x={x} y={y} width={width} height={height} rx="8" />
      <text class="picture-name" x={x + 12} y={y + 20}>
        {`${cut(name)} `}
      </text>
      {rows.map(({ text, to }, place) => (
        <text
          key={text}
          class={to === undefined ? 'picture-row' : 'picture-row reference'}
          x={x + 12}
          y={y + headHeight + (place + 0.7) * rowHeight}
        >
          {`${cut(text)} `}
        </text>
      ))}
    </a>
  );
}

function shownOf({ name, fields }: FileCollection): Shown {
  const isReference = (type: string) => type === 'reference';
  const references = fields.filter(({ type }) => isReference(type));
  const most = Math.max(0, mostRows - references.length);
  const plain = new Set(fields.filter(({ type }) => !isReference(type)).slice(0, most));
  const left = fields.length - references.length - plain.size;
  const rows = fields
    .filter((field) => plain.has(field) || isReference(field.type))
    .map((field) => ({
      text: isReference(field.type) ? `${field.name} → ${targetOf(field)}` : `${field.name} ${field.type}`,
      to: isReference(field.type) ? targetOf(field) : undefined,
    }));
  return { name, rows: left === 0 ? rows : [...rows, { text: `and ${left} more` }] };
}

function targetOf({ options }: FileCollection['fields'][number]): string {
  return unquoted(options.get('to') ?? '""');
}

function referredTo(collections: readonly FileCollection[], others: readonly string[]): Shown[] {
  const targets = new Set(collections.flatMap(({ fields }) => fields.map(targetOf)));
  return others.filter((name) => targets.has(name)).map((name) => ({ name, rows: [] }));
}

function wordsOf({ name, fields }: FileCollection): string[] {
  return fields
    .filter(({ type }) => type === 'reference')
    .map((field) => {
      const deletion = deletionWords[unquoted(field.options.get('on_delete') ?? '"restrict"')] ?? '';
      const to = targetOf(field);
      return `${name}.${field.name} refers to ${to}. If a record of ${to} is deleted, ${deletion.replace('this', 'the')}.`;
    });
}
