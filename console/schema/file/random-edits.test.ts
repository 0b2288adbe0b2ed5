/** Whatever is edited in whatever order, the file says what was asked for, and everything else in it stays. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { moveMember, removeMember, setMember } from './edits.ts';
import { collectionsIn } from './model.ts';

const path = ['collections', 'books', 'fields'];
/** Members as a person may lay them out; `#` is followed by the number of the member. */
const layouts = ['"#": "text"', '\n    "#": "text"', '\n    // about #\n    "#": "text"', '\n    "#": "text" /* # */'];

const fileOf = (picked: readonly number[], ending: string) => {
  const members = picked.map((pick, place) => (layouts[pick] ?? '').replaceAll('#', `f${place}`));
  return `{ // head\n  "collections": {\n  "books": { "fields": {${members.join(',')}${ending} } } } /* tail */\n}\n`;
};

const edit = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), name: fc.nat(7) }),
  fc.record({ kind: fc.constant('first' as const), name: fc.nat(7) }),
  fc.record({ kind: fc.constant('remove' as const), name: fc.nat(7) }),
  fc.record({ kind: fc.constant('up' as const), name: fc.nat(7) }),
  fc.record({ kind: fc.constant('down' as const), name: fc.nat(7) }),
);

test('random edits', () => {
  const picks = fc.array(fc.nat(layouts.length - 1), { minLength: 1, maxLength: 5 });
  const endings = fc.constantFrom('', ',', '\n', ',\n', ' // last\n', ', // last\n');
  fc.assert(
    fc.property(picks, endings, fc.array(edit, { maxLength: 8 }), (picked, ending, edits) => {
      let text = fileOf(picked, ending);
      /** They have had their comments since the beginning. */
      const former = new Set(picked.map((_, place) => `f${place}`));
      let expected = picked.map((_, place) => ({ name: `f${place}`, type: 'text' }));
      for (const { kind, name: number } of edits) {
        const name = `f${number}`;
        const at = expected.findIndex((one) => one.name === name);
        if (kind === 'remove') {
          text = removeMember(text, [...path, name]);
          former.delete(name);
          expected = expected.filter((one) => one.name !== name);
        } else if (kind === 'up' || kind === 'down') {
          const by = kind === 'up' ? -1 : 1;
          text = moveMember(text, [...path, name], by);
          // Comments of a line that others share stay in their place.
          if (picked.includes(0) || !ending.includes('\n')) former.clear();
          const other = expected[at + by];
          const own = expected[at];
          if (own !== undefined && other !== undefined) expected = expected.with(at + by, own).with(at, other);
        } else {
          text = setMember(text, [...path, name], '"date"', kind === 'first' ? 'first' : 'last');
          const added = { name, type: 'date' };
          if (at >= 0) expected = expected.with(at, added);
          else expected = kind === 'first' ? [added, ...expected] : [...expected, added];
        }
        const fields = collectionsIn(text)?.[0]?.fields.map((field) => ({ name: field.name, type: field.type }));
        expect({ text, fields }).toEqual({ text, fields: expected });
        expect(text).toStartWith('{ // head\n');
        expect(text).toEndWith('/* tail */\n}\n');
        // Each comment stays as long as its member, and goes with it.
        for (const [place, pick] of picked.entries()) {
          if (pick < 2) continue;
          if (former.has(`f${place}`))
            expect(text).toMatch(pick === 2 ? new RegExp(`// about f${place}\\n`) : `/* f${place} */`);
        }
      }
    }),
    { numRuns: 300 },
  );
});
