/** The results as a table, as JSON and as a chart. */

import { type Claim, median } from './claim.ts';
import type { Sample } from './load.ts';
import type { Work } from './work.ts';

export type Result = { readonly work: Work; readonly peer: string; readonly samples: readonly Sample[] };

const middle = (samples: readonly Sample[], of: keyof Sample) => median(samples.map((sample) => sample[of]));

/** Half the distance between the slowest and the fastest round, as a share of the median. */
export function spread(samples: readonly Sample[]): number {
  const rates = samples.map(({ perSecond }) => perSecond);
  return (Math.max(...rates) - Math.min(...rates)) / 2 / median(rates);
}

export function summarize(results: readonly Result[]) {
  return results.map(({ work, peer, samples }) => ({
    work: work.name,
    peer,
    perSecond: Math.round(middle(samples, 'perSecond')),
    spread: Number(spread(samples).toFixed(3)),
    p50: Number(middle(samples, 'p50').toFixed(3)),
    p99: Number(middle(samples, 'p99').toFixed(3)),
    errors: samples.reduce((sum, { errors }) => sum + errors, 0),
    rssMb: Math.round(middle(samples, 'rssMb')),
    cpu: Number(middle(samples, 'cpu').toFixed(2)),
  }));
}

export type Summary = ReturnType<typeof summarize>;

/** How often Shelf does what the peer does once, and whether that reaches the floor. */
function verdict(shelf: number, peer: number, floor: number | undefined): string {
  const ratio = shelf / peer;
  return `${ratio.toFixed(2)}x${floor === undefined ? '' : `  (floor ${floor}: ${ratio >= floor ? '' : 'NOT '}reached)`}`;
}

/** `variants` are peers that are Shelf with other settings: the others are compared with them as well. */
export function table(
  works: readonly Work[],
  summary: Summary,
  notMeasured: Readonly<Record<string, string>>,
  variants: readonly string[] = [],
): string {
  const lines: string[] = [];
  for (const { name, title, floors } of works) {
    const rows = summary.filter(({ work }) => work === name);
    const rateOf = (wanted: string) => rows.find(({ peer }) => peer === wanted)?.perSecond ?? Number.NaN;
    lines.push(
      '',
      title,
      `  ${'peer'.padEnd(18)}${'per second'.padStart(11)}${'± '.padStart(6)}${'p50 ms'.padStart(9)}${'p99 ms'.padStart(9)}${'MB'.padStart(7)}${'CPU'.padStart(6)}${'errors'.padStart(8)}   shelf is`,
    );
    for (const { peer, perSecond, spread: range, p50, p99, rssMb, cpu, errors } of rows) {
      const ofVariants = variants.includes(peer)
        ? []
        : variants.map((variant) => `${variant}: ${verdict(rateOf(variant), perSecond, floors[peer])}`);
      const compared = [verdict(rateOf('shelf'), perSecond, floors[peer]), ...ofVariants].join('  ');
      const cells = [
        perSecond.toLocaleString('en').padStart(11),
        `${Math.round(range * 100)}%`.padStart(6),
        p50.toFixed(2).padStart(9),
        p99.toFixed(2).padStart(9),
        String(rssMb).padStart(7),
        cpu.toFixed(2).padStart(6),
        String(errors).padStart(8),
      ];
      lines.push(`  ${peer.padEnd(18)}${cells.join('')}   ${peer === 'shelf' ? '' : compared}`);
    }
  }
  for (const [peer, reason] of Object.entries(notMeasured)) lines.push('', `${peer}: not measured (${reason})`);
  return `${lines.join('\n')}\n`;
}

export function claimsTable(claims: readonly Claim[]): string {
  return claims
    .map(({ title, value, must, holds }) => `  ${holds ? 'ok  ' : 'MISS'}  ${title}: ${value} (must: ${must})\n`)
    .join('');
}

/** Throughput as a share of Shelf's, one group of bars for each work. */
export function chart(works: readonly Work[], summary: Summary): string {
  const groups = works.map((work) => ({ work, rows: summary.filter((row) => row.work === work.name) }));
  const rowHeight = 22;
  const height = groups.reduce((sum, { rows }) => sum + 44 + rows.length * rowHeight, 20);
  let y = 10;
  const parts: string[] = [];
  for (const { work, rows } of groups) {
    y += 30;
    parts.push(`<text x="20" y="${y}" class="title">${work.title}</text>`);
    y += 14;
    const most = Math.max(...rows.map(({ perSecond }) => perSecond));
    for (const { peer, perSecond } of rows) {
      const width = Math.max(2, (perSecond / most) * 470);
      const kind = peer === 'shelf' ? 'own' : peer === 'nginx' ? 'limit' : 'bar';
      parts.push(
        `<text x="120" y="${y + 12}" class="name">${peer}</text><rect x="130" y="${y}" width="${width.toFixed(0)}" height="16" rx="3" class="${kind}"/>`,
      );
      parts.push(
        `<text x="${(138 + width).toFixed(0)}" y="${y + 12}" class="rate">${perSecond.toLocaleString('en')}/s</text>`,
      );
      y += rowHeight;
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 ${height}" width="720" height="${height}" font-family="system-ui, sans-serif">
<title>Requests a second, Shelf and its peers</title>
<style>.title{font-size:14px;font-weight:600;fill:#1c2b2d}.name{font-size:12px;text-anchor:end;fill:#5b6c6e}.rate{font-size:11px;fill:#5b6c6e}.bar{fill:#b9c7c6}.own{fill:#1d6d70}.limit{fill:#f3b45b}</style>
<rect width="720" height="${height}" fill="#faf7f1" rx="10"/>
${parts.join('\n')}
</svg>
`;
}
