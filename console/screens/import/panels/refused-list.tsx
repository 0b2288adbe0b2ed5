/** The rows that were refused, to look at and to download. */
import { Button } from '../../../parts/button.tsx';
import { saveFile } from '../../../parts/save-file.ts';
import type { Layout } from '../layout.ts';
import { countOf, type RefusedRows, refusedFile, shownOf } from '../run/refused.ts';

export type RefusedListProps = {
  readonly refused: readonly RefusedRows[];
  readonly layout: Layout;
  readonly name: string;
  readonly isDry: boolean;
};

export function RefusedList({ refused, layout, name, isDry }: RefusedListProps) {
  if (refused.length === 0) return null;
  const shown = shownOf(refused);
  const ending = layout.format === 'csv' ? 'csv' : 'ndjson';
  return (
    <section class="import-refused" aria-labelledby="refused-title">
      <h3 id="refused-title">Refused rows</h3>
      <p>
        {isDry ? 'They would be left out. ' : 'They were left out. '}
        Download them, correct them in that file, and import it: each has its line and the reason in front.
      </p>
      <Button
        icon="download"
        onPress={() => saveFile(refusedFile(refused, layout), `${name.replace(/\.\w+$/, '')}-refused.${ending}`)}
      >
        Download the refused rows
      </Button>
      <ol>
        {shown.map(({ line, reason }) => (
          <li key={line}>
            <span class="soft">Line {line}</span>
            <span>{reason}</span>
          </li>
        ))}
      </ol>
      {countOf(refused) > shown.length ? (
        <p class="soft">The first {shown.length} are shown; the file has all.</p>
      ) : null}
    </section>
  );
}
