/** The rows that were refused, to look at and to download. */
import { Button } from '../../parts/button.tsx';
import { saveFile } from '../../parts/save-file.ts';
import type { Refused } from './refused.ts';

export type RefusedListProps = { readonly refused: Refused; readonly name: string; readonly isDry: boolean };

export function RefusedList({ refused, name, isDry }: RefusedListProps) {
  if (refused.count === 0) return null;
  const ending = refused.layout.format === 'csv' ? 'csv' : 'ndjson';
  return (
    <section class="import-refused" aria-labelledby="refused-title">
      <h3 id="refused-title">Refused rows</h3>
      <p>
        {isDry ? 'They would be left out. ' : 'They were left out. '}
        Download them, correct them in that file, and import it: each has its line and the reason in front.
      </p>
      <Button
        icon="download"
        onPress={() => saveFile(refused.file(), `${name.replace(/\.\w+$/, '')}-refused.${ending}`)}
      >
        Download the refused rows
      </Button>
      <ol>
        {refused.shown.map(({ line, reason }) => (
          <li key={line}>
            <span class="soft">Line {line}</span>
            <span>{reason}</span>
          </li>
        ))}
      </ol>
      {refused.count > refused.shown.length ? (
        <p class="soft">The first {refused.shown.length} are shown; the file has all.</p>
      ) : null}
    </section>
  );
}
