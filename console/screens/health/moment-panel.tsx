/** One moment of the last hour: its figures, and its slowest request with the id that finds it in the log. */
import type { Collection } from '../../api/declarations.ts';
import type { Sample } from '../../api/figures.ts';
import { copy } from '../../code/as-code.tsx';
import { Button } from '../../parts/button.tsx';
import { Fact } from '../../parts/fact.tsx';
import { clock, short } from '../../parts/values/amount.ts';
import { requestOf } from './incidents.ts';
import { reasonsOf } from './reason.ts';

export type MomentPanelProps = {
  readonly samples: readonly Sample[];
  readonly collections: readonly Collection[];
  readonly place: number;
  readonly seconds: number;
  readonly onChoose: (sample: Sample) => void;
};

export function MomentPanel({ samples, collections, place, seconds, onChoose }: MomentPanelProps) {
  const sample = samples[place];
  if (sample === undefined) return null;
  const { slowest, errors } = sample;
  const failures = Object.entries(errors).map(([code, count]) => `${short(count)} ${code}`);
  return (
    <section class="moment card" aria-labelledby="moment-title">
      <h2 id="moment-title">
        The {seconds} seconds up to {clock(sample.at, 'second')}
      </h2>
      <label>
        <span class="unseen">Moment</span>
        <input
          type="range"
          min={0}
          max={samples.length - 1}
          value={place}
          aria-valuetext={clock(sample.at, 'second')}
          onInput={({ currentTarget }) => {
            const chosen = samples[Number(currentTarget.value)];
            if (chosen !== undefined) onChoose(chosen);
          }}
        />
      </label>
      <dl>
        <Fact name="Slowest request">
          {slowest === null ? (
            'none'
          ) : (
            <>
              <b>{requestOf(slowest)}</b>, {short(slowest.ms)} ms, status {slowest.status}
            </>
          )}
        </Fact>
        <Fact name="Its id in the log">
          {slowest === null ? (
            '–'
          ) : (
            <span class="request-id">
              <code>{slowest.request_id}</code>
              <Button icon="copy" kind="quiet" label="Copy the request id" onPress={() => copy(slowest.request_id)} />
            </span>
          )}
        </Fact>
        {slowest === null ? null : (
          <Fact name="Why it took so long" kind="wide">
            <Why reasons={reasonsOf(slowest, collections)} />
          </Fact>
        )}
        <Fact name="Requests">{short(sample.requests)}</Fact>
        <Fact name="Time to an answer">
          {sample.p50_ms === null || sample.p99_ms === null
            ? '–'
            : `p50 ${short(sample.p50_ms)} ms, p99 ${short(sample.p99_ms)} ms`}
        </Fact>
        <Fact name="Commits">
          {sample.commits === 0
            ? 'none'
            : `${short(sample.commits)} with ${short(sample.writes)} writes, the longest ${short(sample.commit_ms)} ms`}
        </Fact>
        <Fact name="Failures">{failures.length === 0 ? 'none' : failures.join(', ')}</Fact>
        <Fact name="Memory">{short(sample.memory_bytes / 1024 / 1024)} MiB</Fact>
        <Fact name="Connections">
          {short(sample.connections)}, {short(sample.listeners)} to the live feed, {short(sample.writes_waiting)} writes
          waiting
        </Fact>
      </dl>
    </section>
  );
}

function Why({ reasons }: { readonly reasons: readonly string[] }) {
  if (reasons.length === 0)
    return (
      <>No filter or order explains it: look at the commits, the memory and the number of requests of this moment.</>
    );
  return (
    <ul>
      {reasons.map((reason) => (
        <li key={reason}>{reason}</li>
      ))}
    </ul>
  );
}
