/** The audit at the end: the feed has every answered transaction once and whole, and no refused one. */
import type { Sent } from './bank.ts';
import type { Guard, Move } from './move.ts';
import { judgeSight, type Sight } from './sights.ts';
import { type BankChange, isAccount, isMove, Timeline } from './timeline.ts';

export function audit(changes: readonly BankChange[], sent: readonly Sent[], sights: readonly Sight[]) {
  const timeline = new Timeline();
  const byNumber = new Map(sent.map((one) => [one.move.number, one]));
  const stored = new Set<number>();
  const complaints: string[] = [];
  for (const group of transactionsIn(changes)) {
    const before = versionsBefore(group, timeline);
    const move = group.find(isMove)?.record;
    const one = byNumber.get(move?.number ?? 0);
    const guard = one?.move.guard;
    const broken = guard && brokenGuard(guard, one.move.from, timeline);
    for (const change of group) {
      const wrong = timeline.add(change);
      if (wrong !== undefined) complaints.push(wrong);
    }
    const isOpening = group.every(({ type }) => type === 'account.created');
    const said = [timeline.wrongSum, ...(isOpening ? [] : [judgeGroup(group, one, before, timeline), broken])];
    for (const complaint of said) if (complaint !== undefined) complaints.push(complaint);
    if (move === undefined) continue;
    if (stored.has(move.number)) complaints.push(`doubled: move ${move.number} is in the feed twice`);
    stored.add(move.number);
  }
  for (const { outcome, move } of sent)
    if (outcome === 'answered' && !stored.has(move.number))
      complaints.push(`lost: move ${move.number} was answered, and is not in the feed`);
  for (const sight of sights) {
    const complaint = judgeSight(sight, timeline);
    if (complaint !== undefined) complaints.push(complaint);
  }
  return { complaints, timeline, stored };
}

/** The changes of each transaction. */
function transactionsIn(changes: readonly BankChange[]): BankChange[][] {
  const groups: BankChange[][] = [];
  let first: number | undefined;
  for (const change of changes) {
    const { seq, transaction } = change;
    if (transaction !== undefined && transaction.first === first) groups.at(-1)?.push(change);
    else groups.push([change]);
    first = transaction?.first ?? seq;
  }
  return groups;
}

/** The version of each account that the transaction changes. */
function versionsBefore(group: readonly BankChange[], timeline: Timeline): Map<number, number> {
  return new Map(group.filter(isAccount).map(({ record: { id } }) => [id, timeline.versionOf(id)]));
}

/** What does not hold of the state before the transaction. */
function brokenGuard(guard: Guard, from: number, timeline: Timeline): string | undefined {
  const version = timeline.versionOf(from);
  const at = `after change ${timeline.last}`;
  if (guard.kind === 'version')
    return version === guard.version ? undefined : `guard: version ${version} instead of ${guard.version} ${at}`;
  if (guard.kind === 'balance') {
    const { cents = 0 } = timeline.stateOf(from, version) ?? {};
    return cents >= guard.atLeast ? undefined : `guard: ${cents} cents instead of ${guard.atLeast} or more ${at}`;
  }
  const count = timeline.countAbove(guard.cents);
  return count <= guard.most ? undefined : `guard: ${count} accounts instead of at most ${guard.most} ${at}`;
}

/** Compares the changes of a transaction with the move that was sent. */
function judgeGroup(
  group: readonly BankChange[],
  one: Sent | undefined,
  before: ReadonlyMap<number, number>,
  timeline: Timeline,
): string | undefined {
  const [first] = group;
  const at = `the transaction of change ${first?.seq}`;
  const { transaction } = first ?? {};
  if (transaction?.size !== group.length || group.some(({ seq }, index) => seq !== transaction.first + index))
    return `torn: ${at} has ${group.length} of ${transaction?.size ?? 'many'} changes`;
  if (one === undefined) return `phantom: ${at} is none that was sent`;
  if (one.outcome === 'refused') return `phantom: ${at} has move ${one.move.number}, which was refused`;
  const told = effectsOf(before, timeline);
  const wanted = wantedEffects(one.move);
  if (!Bun.deepEquals(told, wanted))
    return `torn: ${at} changes ${JSON.stringify(told)}, expected ${JSON.stringify(wanted)}`;
  if (one.outcome !== 'answered') return undefined;
  const versions = group.filter(isAccount).map(({ record }) => record.version);
  return one.firstChange === first?.seq && Bun.deepEquals(versions, [...one.versions])
    ? undefined
    : `altered: ${at} has the versions ${versions}, answered were ${one.versions} and change ${one.firstChange}`;
}

/** By account: the cents that are added, and the number of versions. */
type Effects = Readonly<Record<number, readonly [cents: number, versions: number]>>;

function effectsOf(before: ReadonlyMap<number, number>, timeline: Timeline): Effects {
  const effects = [...before].map(([account, old]) => {
    const now = timeline.versionOf(account);
    const cents = (timeline.stateOf(account, now)?.cents ?? 0) - (timeline.stateOf(account, old)?.cents ?? 0);
    return [account, [cents, now - old]] as const;
  });
  return Object.fromEntries(effects);
}

function wantedEffects({ from, to, cents }: Move): Effects {
  return from === to ? { [from]: [0, 2] } : { [from]: [-cents, 1], [to]: [cents, 1] };
}
