/** The pictures of docs/scaling.md: one for each step, as SVG. `npm run screenshots` writes them. */

type Kind = 'own' | 'other' | 'store';
type Box = {
  readonly x: number;
  readonly y: number;
  readonly name: string;
  readonly detail?: string;
  readonly kind: Kind;
};
type Machine = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly name: string;
};
type Arrow = {
  readonly from: readonly [x: number, y: number];
  readonly to: readonly [x: number, y: number];
  readonly label?: string;
  readonly dashed?: true;
};
type Picture = {
  readonly title: string;
  readonly height: number;
  readonly machines?: readonly Machine[];
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
};

const width = 720;
const box = { width: 128, height: 44 };
const middle = box.height / 2;

const clients = (y: number): Box => ({ x: 24, y, name: 'clients', kind: 'other' });
const balancer = (y: number): Box => ({ x: 190, y, name: 'load balancer', detail: '/readyz', kind: 'other' });
/** From the right side of one box to the left side of another. */
const across = (left: Box, right: Box, label?: string): Arrow => ({
  from: [left.x + box.width, left.y + middle],
  to: [right.x, right.y + middle],
  ...(label === undefined ? {} : { label }),
});

const shelf = (x: number, y: number, detail: string): Box => ({ x, y, name: 'Shelf', detail, kind: 'own' });
const file: Box = { x: 530, y: 66, name: 'shelf.db', detail: 'SQLite, WAL', kind: 'store' };
const alone = shelf(290, 66, 'records in memory');

const workers = [48, 110, 172].map((y) => shelf(250, y, 'worker'));
const local: Box = { x: 530, y: 110, name: 'PostgreSQL', kind: 'store' };

const instances = [48, 128].map((y) => shelf(366, y, 'instance'));
const primary: Box = { x: 560, y: 48, name: 'PostgreSQL', detail: 'primary', kind: 'store' };
const standby: Box = { x: 560, y: 150, name: 'PostgreSQL', detail: 'standby', kind: 'store' };

const servers = [
  { y: 44, detail: 'standby' },
  { y: 134, detail: 'primary' },
  { y: 224, detail: 'synchronous standby' },
].map(({ y, detail }, index): Box => ({ x: 560, y, name: `PostgreSQL db${index + 1}`, detail, kind: 'store' }));
const [first, leader, synchronous] = servers as [Box, Box, Box];
const pair = [90, 180].map((y) => shelf(366, y, 'finds the primary'));

export const pictures: Readonly<Record<string, Picture>> = {
  'scaling-file': {
    title: 'One file: one process with the records in memory',
    height: 150,
    machines: [{ x: 250, y: 32, width: 446, height: 102, name: 'one machine' }],
    boxes: [clients(66), alone, file],
    arrows: [across(clients(66), alone), across(alone, file, 'one sync a batch')],
  },
  'scaling-machine': {
    title: 'One machine: a process for each core, and PostgreSQL',
    height: 250,
    machines: [{ x: 220, y: 18, width: 476, height: 214, name: 'one machine' }],
    boxes: [clients(110), ...workers, local],
    arrows: workers.flatMap((worker) => [across(clients(110), worker), across(worker, local)]),
  },
  'scaling-machines': {
    title: 'Many machines: instances behind a load balancer, one PostgreSQL with a standby',
    height: 216,
    boxes: [clients(88), balancer(88), ...instances, primary, standby],
    arrows: [
      across(clients(88), balancer(88)),
      ...instances.flatMap((instance) => [across(balancer(88), instance), across(instance, primary)]),
      { from: [624, 92], to: [624, 150], label: 'replication', dashed: true },
    ],
  },
  'scaling-cluster': {
    title: 'A cluster: three PostgreSQL servers, of which any may be lost',
    height: 290,
    boxes: [clients(134), balancer(134), ...pair, ...servers],
    arrows: [
      across(clients(134), balancer(134)),
      ...pair.flatMap((instance) => [across(balancer(134), instance), across(instance, leader)]),
      { from: [624, leader.y], to: [624, first.y + box.height], dashed: true },
      { from: [624, leader.y + box.height], to: [624, synchronous.y], label: 'every commit', dashed: true },
    ],
  },
};

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function drawBox({ x, y, name, detail, kind }: Box): string {
  const center = x + box.width / 2;
  const lines =
    detail === undefined
      ? `<text class="name" x="${center}" y="${y + 27}">${escaped(name)}</text>`
      : `<text class="name" x="${center}" y="${y + 19}">${escaped(name)}</text><text class="detail" x="${center}" y="${y + 34}">${escaped(detail)}</text>`;
  return `<g class="${kind}"><rect x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="7"/>${lines}</g>`;
}

function drawArrow({ from: [x1, y1], to: [x2, y2], label, dashed }: Arrow): string {
  const line = `<line class="arrow${dashed ? ' dashed' : ''}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`;
  if (label === undefined) return line;
  const isUpright = x1 === x2;
  const [x, y] = [(x1 + x2) / 2 + (isUpright ? 8 : 0), (y1 + y2) / 2 + (isUpright ? 4 : -7)];
  return `${line}<text class="label${isUpright ? ' beside' : ''}" x="${x}" y="${y}">${escaped(label)}</text>`;
}

const drawMachine = ({ x, y, width: wide, height, name }: Machine) =>
  `<rect class="machine" x="${x}" y="${y}" width="${wide}" height="${height}" rx="10"/><text class="place" x="${x + 12}" y="${y + 18}">${escaped(name)}</text>`;

const style =
  '.own rect{fill:#1d6d70}.own text{fill:#fff}.other rect{fill:#e4e9e7}.store rect{fill:#f3b45b}text{fill:#1c2b2d;text-anchor:middle}' +
  '.name{font-size:13px;font-weight:600}.detail,.label,.place{font-size:11px}.label,.place{fill:#5b6c6e}.beside,.place{text-anchor:start}' +
  '.arrow{stroke:#5b6c6e;stroke-width:1.5;marker-end:url(#head)}.dashed{stroke-dasharray:5 4}.machine{fill:none;stroke:#b9c7c6;stroke-width:1.5}';

export function draw({ title, height, machines = [], boxes, arrows }: Picture): string {
  const parts = [...machines.map(drawMachine), ...arrows.map(drawArrow), ...boxes.map(drawBox)];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif">
<title>${escaped(title)}</title>
<style>${style}</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#5b6c6e"/></marker></defs>
<rect width="${width}" height="${height}" fill="#faf7f1" rx="10"/>
${parts.join('\n')}
</svg>
`;
}
