/** One run on one engine: records change under faults, and at each moment every replica is the filtered list. */
import { Random } from '../../test/support/data/random.ts';
import type { Setup } from '../history/servers/setup.ts';
import { Follower } from '../support/follower.ts';
import type { Judged } from '../support/torture.ts';
import { collection, newFilter, newRecord } from './loans.ts';
import { type Loan, Replica, textOf } from './replica.ts';
import { recoverMs, Service } from './service.ts';
import { usualCount, Writers } from './writers.ts';

export type FollowersPlan = {
  readonly seed: number;
  readonly followers: number;
  readonly moments: number;
  /** Requests before a moment. */
  readonly writes: number;
  say(progress: string): void;
};

/** The servers read each filter once for all followers that have it. */
const mostFilters = 40;
/** Of the followers, which lose their connection before a moment. */
const cutShare = 0.1;
/** A request that was given up may be done after its moment was read: then the moment is read again. */
const mostReadings = 5;
/** Moments between two lines about it. */
const momentsPerLine = 5;

/** The followers of one filter. */
type Group = { readonly where: string; readonly replicas: Replica[] };

export async function runFollowers(setup: Setup, plan: FollowersPlan): Promise<Judged> {
  const random = new Random(plan.seed);
  const service = new Service(setup, random);
  const { ids, marker } = await seeded(service);
  const position = await service.lastChange();
  const groups: Group[] = [];
  for (let count = 0; count < Math.min(plan.followers, mostFilters); count++)
    groups.push({ where: newFilter(random), replicas: [] });
  const lists = await Promise.all(groups.map(({ where }) => service.list(where)));
  const followers = Array.from({ length: plan.followers }, (_, place) => {
    const at = place % groups.length;
    const replica = new Replica(lists[at] ?? []);
    groups[at]?.replicas.push(replica);
    const query = `?collection=${collection}&where=${encodeURIComponent(groups[at]?.where ?? '')}`;
    const take = (events: readonly string[]) => {
      for (const event of events) replica.apply(event);
    };
    return new Follower(position, () => service.url(), take, query);
  });
  const writers = new Writers(service, ids);
  const complaints: string[] = [];
  let moment = 0;
  try {
    await Promise.all(followers.map((follower) => follower.connect()));
    while (complaints.length === 0 && moment < plan.moments) {
      moment++;
      const enough = writers.answered + plan.writes;
      let isInflicted = false;
      const writing = writers.write(() => isInflicted && writers.answered >= enough);
      for (const follower of followers) if (random.chance(cutShare)) follower.cut();
      await random.pick(setup.faults).inflict(random);
      isInflicted = true;
      await writing;
      const wrong = await wrongAt(moment, service, marker, groups);
      if (wrong !== undefined) complaints.push(`moment ${moment}: ${wrong}`);
      for (const { complaint } of followers)
        if (complaint !== undefined) complaints.push(`feed: a follower ${complaint}`);
      if (moment % momentsPerLine === 0) plan.say(`${moment} of ${plan.moments} moments`);
    }
    complaints.push(...(await setup.verify()));
  } finally {
    for (const follower of followers) follower.stop();
  }
  const sumOf = (figure: 'count' | 'connects') => followers.reduce((sum, follower) => sum + follower[figure], 0);
  const figures = { moments: moment, writes: writers.answered, changes: sumOf('count'), connects: sumOf('connects') };
  plan.say(`${followers.length} followers: ${JSON.stringify(figures)}; ${complaints.length} violations`);
  return { figures, complaints };
}

/** The records before the first change, and one that all filters match. */
async function seeded(service: Service) {
  const record = (more: object) => ({ op: 'create', collection, record: { ...newRecord(service.random), ...more } });
  const operations = [record({ moment: 0 }), ...Array.from({ length: usualCount }, () => record({}))];
  const { results } = JSON.parse(
    await service.succeed({ method: 'POST', path: 'transactions', body: { operations } }),
  ) as { readonly results: readonly Loan[] };
  const [marker = 0, ...ids] = results.map(({ id }) => id);
  return { marker, ids };
}

/** What is wrong when nothing is written: each replica has to be the list that the server reads. */
async function wrongAt(moment: number, service: Service, marker: number, groups: readonly Group[]) {
  const replicas = groups.flatMap((group) => group.replicas);
  let wrong: string | undefined;
  for (let reading = 1; reading <= mostReadings; reading++) {
    // Each reading has a number of its own, so a follower that has it has all changes before it.
    const number = moment * mostReadings + reading;
    await service.succeed({ method: 'PATCH', path: `${collection}/${marker}`, body: { moment: number } });
    const isBehind = (one: Replica) => one.complaint === undefined && one.moment < number;
    await untilStill(() => replicas.filter(isBehind).length);
    const broken = replicas.find((one) => one.complaint !== undefined);
    if (broken !== undefined) return broken.complaint;
    const behind = replicas.filter(isBehind).length;
    if (behind > 0) return `feed: ${behind} of ${replicas.length} followers do not get the last change`;
    wrong = await difference(service, groups);
    if (wrong === undefined) return undefined;
  }
  return wrong;
}

/** Until none is behind, or for so long none has caught up: how many do in a second depends on the machine. */
async function untilStill(countBehind: () => number): Promise<void> {
  let behind = countBehind();
  for (let since = performance.now(); behind > 0 && performance.now() - since < recoverMs; ) {
    await Bun.sleep(10);
    const now = countBehind();
    if (now !== behind) since = performance.now();
    behind = now;
  }
}

async function difference(service: Service, groups: readonly Group[]): Promise<string | undefined> {
  for (const { where, replicas } of groups) {
    const expected = textOf(await service.list(where));
    const other = replicas.find(({ text }) => text !== expected);
    if (other !== undefined) return `list: ${where}: ${firstDifference(expected, other.text)}`;
  }
  return undefined;
}

function firstDifference(expected: string, found: string): string {
  const [lines, others] = [expected.split('\n'), found.split('\n')];
  const at = others.findIndex((line, place) => line !== lines[place]);
  const place = at < 0 ? others.length : at;
  return `expected ${lines[place] ?? 'no more'}, and a follower has ${others[place] ?? 'no more'}`;
}
