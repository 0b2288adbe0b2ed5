/** The checker finds and names every kind of error that is planted into a correct history. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { judge } from '../check/judge.ts';
import {
  delivered,
  doorsDisagree,
  doubled,
  fromTheFuture,
  gapInFeed,
  gapInPull,
  keyedTwice,
  lost,
  type Plant,
  phantom,
  reorderedList,
  replayOfRefused,
  staleByOne,
  tornFeed,
  tornList,
} from './planted.ts';
import { simulate } from './simulation.ts';

const plants: Readonly<Record<string, [plant: Plant, complaint: RegExp]>> = {
  'an acknowledged write is lost': [lost, /^lost: /],
  'a write happened twice': [doubled, /^doubled: /],
  'a list is reordered': [reorderedList, /^torn or reordered: /],
  'an answer is stale by one change': [staleByOne, /^stale or early: /],
  'a list shows half a bulk': [tornList, /^(torn or reordered|stale or early): /],
  'the feed has half a bulk': [tornFeed, /^torn batch: /],
  'a create took effect after a definite failure': [phantom('create'), /^phantom after a definite failure: /],
  'an update took effect after a definite failure': [phantom('update'), /^phantom after a definite failure: /],
  'a deletion took effect after a definite failure': [phantom('delete'), /^phantom after a definite failure: /],
  'a removal took effect after a definite failure': [phantom('remove'), /^phantom after a definite failure: /],
  'a pull has a gap': [gapInPull, /^torn or reordered: /],
  'the feed has a gap': [gapInFeed, /^feed: /],
  'a follower misses a change': [delivered((all) => all.toSpliced(2, 1), 'follower 1 received'), /a gap$/],
  'a follower misses the end': [delivered((all) => all.slice(0, -1), 'follower 1 did not receive'), /the last 1 of/],
  'a follower receives a change twice': [
    delivered((all) => all.toSpliced(3, 0, all[2] ?? ''), 'follower 1 received'),
    /again, as number 4$/,
  ],
  'two APIs disagree': [doorsDisagree, /^stale or early: /],
  'a replay is not the first answer': [keyedTwice, /^wrong answer: /],
  'a replay of a refused write': [replayOfRefused, /^phantom after a definite failure: .* replays/],
  'an answer shows a write that was not sent yet': [fromTheFuture, /^(stale or early|order): /],
};

test.each(Object.entries(plants))('%s', (_, [plant, expected]) => {
  let planted = 0;
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const result = plant(simulate(seed, 400));
      if (result === undefined) return;
      planted++;
      const complaints = judge(result.history).filter((complaint) => expected.test(complaint));
      expect(complaints.join('\n')).toContain(result.names);
    }),
    { numRuns: 40 },
  );
  expect(planted).toBeGreaterThan(5);
});
