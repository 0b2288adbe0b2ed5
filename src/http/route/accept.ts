/** Content negotiation (RFC 9110, section 12): which of the forms at hand a client prefers, by the weights that it sends. */
import Negotiator from 'negotiator';
import type { Incoming } from '../../wire/incoming.ts';

/** What the media types here are sent with; a client that asks for one of these by name means the same type. */
const parameters = '; charset=utf-8; header=present';

/** Chooses by `Accept`; the first where the client has no preference, or accepts none of them. */
export function typeChooser<Type extends string>(types: readonly [Type, ...Type[]]): (request: Incoming) => Type {
  const forms = new Map(types.map((type) => [`${type}${parameters}`, type]));
  return remembered('accept', (accept) => {
    const best = new Negotiator({ headers: { accept } }).mediaType([...forms.keys()]);
    return forms.get(best ?? '') ?? types[0];
  });
}

/** Chooses by `Accept-Encoding`, of equal ones the first; undefined for none of them. */
export function encodingChooser<Coding extends string>(
  codings: readonly Coding[],
): (request: Incoming) => Coding | undefined {
  const available = [...codings, 'identity'];
  return remembered('accept-encoding', (accepted) => {
    const negotiator = new Negotiator({ headers: { 'accept-encoding': accepted } });
    const best = negotiator.encoding(available, { preferred: available });
    return codings.find((coding) => coding === best);
  });
}

/** A client mostly repeats its headers, and so do clients of one kind: the choice for the last one is kept. */
function remembered<Choice>(name: string, choose: (header: string) => Choice): (request: Incoming) => Choice {
  let last = '';
  let choice = choose('');
  return (request) => {
    const header = request.header(name) ?? '';
    if (header !== last) {
      last = header;
      choice = choose(header);
    }
    return choice;
  };
}
