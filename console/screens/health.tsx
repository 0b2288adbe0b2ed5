/** How the service did in the last hour, for a person without a monitoring system. */
import type { Collection } from '../api/declarations.ts';
import { type Figures, readFigures, type Sample } from '../api/figures.ts';
import { AsCode } from '../code/as-code.tsx';
import { curlOf } from '../code/curl.ts';
import { fetchProgram } from '../code/fetch-program.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { clock } from '../parts/values/amount.ts';
import { address, go, hrefOf } from '../state/address.ts';
import { useLoaded } from '../state/loaded.ts';
import { type OpenSession, refusal } from '../state/session.ts';
import { areEnough, type Incident, incidentsIn } from './health/incidents.ts';
import { MomentPanel } from './health/moment-panel.tsx';
import { Plots } from './health/plots.tsx';
import { SlowestList } from './health/slowest-list.tsx';
import './health.css';

const asking = { path: '/api/v2/figures' };
const everyMs = 10_000;

export function Health({ session: { me, collections } }: { readonly session: OpenSession }) {
  const refused = refusal('admin');
  const withKey = me.auth !== 'off';
  return (
    <>
      <div class="screen-head">
        <h1>Health</h1>
        <AsCode code={() => ({ curl: curlOf(asking, withKey), typescript: fetchProgram(asking, withKey) })} />
      </div>
      <div class="plain-screen health">
        {refused === undefined ? (
          <LastHour collections={collections} />
        ) : (
          <p>The figures of the last hour are not shown. {refused}</p>
        )}
      </div>
    </>
  );
}

function LastHour({ collections }: Pick<ShownProps, 'collections'>) {
  const figures = useLoaded(readFigures, [], everyMs).value;
  if (figures.kind === 'waiting') return <p class="soft">Reading the figures …</p>;
  if (figures.kind === 'failed') return <p role="alert">{figures.why}</p>;
  if (figures.value.samples.length === 0)
    return (
      <p>The server started at {clock(figures.value.since, 'second')}. The first figures come after ten seconds.</p>
    );
  return <Shown figures={figures.value} collections={collections} />;
}

type ShownProps = { readonly figures: Figures; readonly collections: readonly Collection[] };

function Shown({ figures, collections }: ShownProps) {
  const { samples } = figures;
  const incidents = incidentsIn(figures);
  const wanted = new URLSearchParams(address.value.search).get('at') ?? incidents[0]?.at;
  const found = samples.findIndex(({ at }) => at === wanted);
  const place = found < 0 ? samples.length - 1 : found;
  const choose = ({ at }: { readonly at: string }) =>
    go(hrefOf(['-', 'health'], new URLSearchParams({ at }).toString()), 'replace');
  return (
    <>
      <Sentences incidents={incidents} isEnough={areEnough(figures)} since={figures.since} onChoose={choose} />
      <MomentPanel
        samples={samples}
        collections={collections}
        place={place}
        seconds={figures.sample_seconds}
        onChoose={choose}
      />
      <section aria-labelledby="plots-title">
        <h2 id="plots-title">The last hour</h2>
        <Plots figures={figures} chosen={samples[place]} onChoose={choose} />
      </section>
      <SlowestList samples={samples} collections={collections} onChoose={choose} />
    </>
  );
}

type SentencesProps = {
  readonly incidents: readonly Incident[];
  readonly isEnough: boolean;
  readonly since: string;
  readonly onChoose: (moment: Pick<Sample, 'at'>) => void;
};

function Sentences({ incidents, isEnough, since, onChoose }: SentencesProps) {
  return (
    <section class="incidents" aria-label="What is notable">
      {incidents.length === 0 ? (
        <p class="state good">
          <Icon name="check" />
          {isEnough
            ? 'Nothing stands out in the last hour: 99 of 100 answers took less than 100 ms, and no request failed for a reason of the server.'
            : 'Nothing stands out in the last hour, which had few requests: too few to judge their times. None failed for a reason of the server.'}
        </p>
      ) : (
        incidents.map(({ text, at }) => (
          <p key={text} class="state bad">
            <Icon name="warn" />
            <span>{text}</span>
            <Button kind="quiet" onPress={() => onChoose({ at })}>
              Show {clock(at)}
            </Button>
          </p>
        ))
      )}
      <p class="soft">Of the process that answers, which started {startOf(since)}.</p>
    </section>
  );
}

/** With its day, if that is not today. */
function startOf(since: string): string {
  const isToday = since.slice(0, 10) === new Date().toISOString().slice(0, 10);
  return `at ${clock(since, 'second')}${isToday ? '' : ` on ${since.slice(0, 10)}`}`;
}
