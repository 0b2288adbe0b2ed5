/** How the service is doing: is it ready, how busy is it, and what changed in the last hour. */
import { grouped } from '../../api/count.ts';
import { type Figures, readFigures } from '../../api/figures.ts';
import { send } from '../../api/request.ts';
import { Fact } from '../../parts/fact.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Plot } from '../../parts/plot.tsx';
import { hrefOf } from '../../state/address.ts';
import { useLoaded } from '../../state/loaded.ts';
import { refusal } from '../../state/session.ts';
import { failuresIn, inMinutes, lastMinute } from './last-hour.ts';

const everyMs = 10_000;

export function ServiceState() {
  const ready = useLoaded((signal) => send({ path: '/readyz', signal }), [], everyMs).value;
  const refused = refusal('admin');
  return (
    <section aria-labelledby="last-hour-title">
      <h2 id="last-hour-title">The last hour</h2>
      <p class={ready.kind === 'failed' ? 'state bad' : 'state good'}>
        {ready.kind === 'waiting' ? null : <Icon name={ready.kind === 'here' ? 'check' : 'warn'} />}
        {ready.kind === 'waiting' ? '\u2026' : ready.kind === 'here' ? 'The service is ready.' : ready.why}
      </p>
      {refused === undefined ? <LastHour /> : <p class="soft">The figures of the last hour are not shown. {refused}</p>}
    </section>
  );
}

function LastHour() {
  const figures = useLoaded(readFigures, [], everyMs).value;
  if (figures.kind === 'waiting') return <div class="last-hour-space" />;
  if (figures.kind === 'failed') return <p class="soft">{figures.why}</p>;
  return <Shown figures={figures.value} />;
}

function Shown({ figures }: { readonly figures: Figures }) {
  const { times, changes } = inMinutes(figures, Date.now());
  const total = changes.reduce((sum, one) => sum + one, 0);
  const { requestsPerSecond, p99Ms, memoryMiB, connections } = lastMinute(figures);
  const failures = failuresIn(figures);
  return (
    <div class="last-hour">
      <div class="last-hour-plot card">
        <h3>
          {grouped(String(total))} {total === 1 ? 'write' : 'writes'} <span class="soft">(a bulk is one)</span>
        </h3>
        <Plot
          summary={`Writes in each minute of the last hour, ${total} in all.`}
          times={times}
          lines={[{ label: 'Writes', color: '--accent', values: changes }]}
          kind="bars"
          height={190}
        />
      </div>
      <dl class="tiles">
        <Fact name="Requests a second" kind="card">
          {requestsPerSecond}
        </Fact>
        <Fact name="99% of answers within" kind="card">
          {p99Ms} <a href={hrefOf(['-', 'health'])}>Health</a>
        </Fact>
        <Fact name="Memory" kind="card">
          {memoryMiB}
        </Fact>
        <Fact name="Connections" kind="card">
          {connections}
        </Fact>
        <Fact name="Failures in the hour" kind="card">
          {failures.length === 0 ? (
            'none'
          ) : (
            <ul class="failures plain-list">
              {failures.map((words) => (
                <li key={words}>{words}</li>
              ))}
            </ul>
          )}
        </Fact>
      </dl>
    </div>
  );
}
