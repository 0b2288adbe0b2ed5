/**
 * Changes of one member of a configuration file. Each returns the new text, in which all other members keep their comments and their
 * formatting. A value is JSON text, so that every digit of a number stays.
 */
import { applyEdits, type Edit } from 'jsonc-parser';
import { lineStart, type ObjectAt, objectAt, type Path, type Slot } from './slots.ts';

/** Replaces the value, or adds the member. Objects on the way to it are added, too. A value of several lines is indented by two spaces. */
export function setMember(text: string, path: Path, json: string, place: 'first' | 'last' = 'last'): string {
  const [parent, name] = split(path);
  const object = objectAt(text, parent);
  if (object === undefined)
    return parent.length === 0 ? text : setMember(setMember(text, parent, '{}'), path, json, place);
  const slot = object.slots.find((one) => one.name === name);
  if (slot !== undefined) return applyEdits(text, [replace(slot.value.offset, slot.end, json)]);
  return insert(text, object, `${JSON.stringify(name)}: ${json}`, place);
}

export function removeMember(text: string, path: Path): string {
  const [parent, name] = split(path);
  const { slots = [], node } = objectAt(text, parent) ?? {};
  const place = slots.findIndex((one) => one.name === name);
  const slot = slots[place];
  if (slot === undefined || node === undefined) return text;
  const [before, after] = [slots[place - 1], slots[place + 1]];
  if (slot.isOwnLine) {
    const from = lineStart(text, slot.lead);
    const to = text.indexOf('\n', slot.tail) + 1;
    const comma =
      after === undefined && slot.comma === undefined && before?.comma !== undefined
        ? [replace(before.comma, before.comma + 1, '')]
        : [];
    return applyEdits(text, [...comma, replace(from, to === 0 ? text.length : to, '')]);
  }
  if (after !== undefined) {
    const isSameLine = !text.slice(slot.tail, after.start).includes('\n');
    return applyEdits(text, [replace(slot.start, isSameLine ? after.start : slot.tail, '')]);
  }
  if (before?.comma !== undefined) {
    // The comma before it is the last one then, if there is to be one.
    if (slot.comma !== undefined)
      return applyEdits(text, [replace(slot.start, slot.end, ''), replace(slot.comma, slot.comma + 1, '')]);
    const blanks = /[ \t]*$/.exec(text.slice(before.comma + 1, slot.start))?.[0].length ?? 0;
    return applyEdits(text, [replace(before.comma, before.comma + 1, ''), replace(slot.start - blanks, slot.end, '')]);
  }
  return applyEdits(text, [replace(node.offset, node.offset + node.length, '{}')]);
}

export function renameMember(text: string, path: Path, name: string): string {
  const [parent, old] = split(path);
  const key = objectAt(text, parent)?.slots.find((one) => one.name === old)?.key;
  if (key === undefined) return text;
  return applyEdits(text, [replace(key.offset, key.offset + key.length, JSON.stringify(name))]);
}

/** Swaps it with the member before or after it. Each takes its comments along. */
export function moveMember(text: string, path: Path, by: -1 | 1): string {
  const [parent, name] = split(path);
  const slots = objectAt(text, parent)?.slots ?? [];
  const place = slots.findIndex((one) => one.name === name);
  const upper = slots[Math.min(place, place + by)];
  const lower = slots[Math.max(place, place + by)];
  if (place < 0 || upper === undefined || lower === undefined) return text;
  // Comments of a line that others share stay there.
  if (!upper.isOwnLine || !lower.isOwnLine)
    return applyEdits(text, [
      replace(upper.start, upper.end, text.slice(lower.start, lower.end)),
      replace(lower.start, lower.end, text.slice(upper.start, upper.end)),
    ]);
  return applyEdits(text, [
    replace(upper.lead, upper.tail, contentOf(text, lower, upper)),
    replace(lower.lead, lower.tail, contentOf(text, upper, lower)),
  ]);
}

/** The member at the place of another one, where a comma is or is not. */
function contentOf(text: string, slot: Slot, at: Slot): string {
  const comments =
    slot.comma === undefined
      ? text.slice(slot.end, slot.tail)
      : text.slice(slot.end, slot.comma) + text.slice(slot.comma + 1, slot.tail);
  return `${text.slice(slot.lead, slot.end)}${at.comma === undefined ? '' : ','}${comments}`;
}

function insert(text: string, { node, slots }: ObjectAt, added: string, place: 'first' | 'last'): string {
  const [first, last] = [slots[0], slots.at(-1)];
  const line = text.includes('\r\n') ? '\r\n' : '\n';
  const unit = unitOf(text);
  const indentedBy = (indent: string) =>
    added.replace(/\n((?: {2})*)/g, (_, steps: string) => line + indent + unit.repeat(steps.length / 2));
  if (first === undefined || last === undefined) {
    const outer = /^[ \t]*/.exec(text.slice(lineStart(text, node.offset)))?.[0] ?? '';
    const inside = text.slice(node.offset + 1, node.offset + node.length - 1).trimEnd();
    const content = `{${inside}${line}${outer}${unit}${indentedBy(outer + unit)}${line}${outer}}`;
    return applyEdits(text, [replace(node.offset, node.offset + node.length, content)]);
  }
  const indentOf = (slot: Slot) => /^[ \t]*/.exec(text.slice(lineStart(text, slot.lead)))?.[0] ?? '';
  const isInLines = ({ lead }: Slot) => text.slice(lineStart(text, lead), lead).trim() === '';
  if (place === 'first') {
    const member = indentedBy(indentOf(first));
    const between = isInLines(first) ? line + indentOf(first) : ' ';
    return applyEdits(text, [replace(first.lead, first.lead, `${member},${between}`)]);
  }
  const isBelow = isInLines(first) || text.slice(last.end, last.tail).includes('//');
  const indent = indentOf(isInLines(first) ? first : last);
  const member = `${isBelow ? line + indent : ' '}${indentedBy(indent)}`;
  if (last.comma !== undefined) return applyEdits(text, [replace(last.tail, last.tail, `${member},`)]);
  return applyEdits(text, [replace(last.end, last.end, ','), replace(last.tail, last.tail, member)]);
}

/** One step of indentation. */
function unitOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
}

function split(path: Path): readonly [parent: Path, name: string] {
  return [path.slice(0, -1), path.at(-1) ?? ''];
}

function replace(from: number, to: number, content: string): Edit {
  return { offset: from, length: to - from, content };
}
