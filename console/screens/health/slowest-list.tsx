/** The moments with the slowest requests of the hour. */
import type { Collection } from '../../api/declarations.ts';
import type { Sample } from '../../api/figures.ts';
import { Button } from '../../parts/button.tsx';
import { clock, short } from '../../parts/values/amount.ts';
import { requestOf } from './incidents.ts';
import { reasonsOf } from './reason.ts';

const most = 10;

export type SlowestListProps = {
  readonly samples: readonly Sample[];
  readonly collections: readonly Collection[];
  readonly onChoose: (sample: Sample) => void;
};

export function SlowestList({ samples, collections, onChoose }: SlowestListProps) {
  const slowest = samples
    .flatMap((sample) => (sample.slowest === null ? [] : [{ sample, request: sample.slowest }]))
    .sort((one, other) => other.request.ms - one.request.ms)
    .slice(0, most);
  if (slowest.length === 0) return null;
  return (
    <section class="slowest" aria-labelledby="slowest-title">
      <h2 id="slowest-title">Slowest requests of the hour</h2>
      <p class="soft">The id at the end of a row finds the request in the log of the server.</p>
      <ol class="plain-list card">
        {slowest.map(({ sample, request }) => (
          <li key={sample.at}>
            <Button kind="quiet" onPress={() => onChoose(sample)}>
              {clock(sample.at, 'second')}
            </Button>
            <span class="slowest-ms">{short(request.ms)} ms</span>
            <span class="slowest-what">
              {requestOf(request)} <span class="soft">{request.status}</span>
            </span>
            <code>{request.request_id}</code>
            <Why reasons={reasonsOf(request, collections)} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Why({ reasons }: { readonly reasons: readonly string[] }) {
  return reasons.length === 0 ? null : <span class="slowest-why soft">{reasons.join(' ')}</span>;
}
