/** Content negotiation (RFC 9110, section 12): chooses among the available forms by the weights that the client sends. */
import Negotiator from 'negotiator';
import type { Incoming } from '../../wire/request/incoming.ts';

/** Parameters of Shelf's media types. Each type is offered with all of them, so that an Accept that names one still matches. */
const parameters = '; charset=utf-8; header=present';

/** Chooses by `Accept`; the first type if the client has no preference, or accepts none of them. */
export function typeChooser<Type extends string>(types: readonly [Type, ...Type[]]): (request: Incoming) => Type {
  const forms = new Map(types.map((type) => [`${type}${parameters}`, type]));
  return cacheLast('accept', (accept) => {
    const best = new Negotiator({ headers: { accept } }).mediaType([...forms.keys()]);
    return forms.get(best ?? '') ?? types[0];
  });
}

/** Chooses by `Accept-Encoding`, the first of equal weights; undefined for no encoding. */
export function encodingChooser<Coding extends string>(
  codings: readonly Coding[],
): (request: Incoming) => Coding | undefined {
  const available = [...codings, 'identity'];
  return cacheLast('accept-encoding', (accepted) => {
    const negotiator = new Negotiator({ headers: { 'accept-encoding': accepted } });
    const best = negotiator.encoding(available, { preferred: available });
    return codings.find((coding) => coding === best);
  });
}

/** Caches the last choice: a client mostly repeats its headers, and clients of one kind send the same ones. */
function cacheLast<Choice>(name: string, choose: (header: string) => Choice): (request: Incoming) => Choice {
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
