/** The part of negotiator that is used here; its published types lack the preferred encodings. */
declare module 'negotiator' {
  export default class Negotiator {
    constructor(request: { readonly headers: Readonly<Record<string, string>> });
    mediaType(available: readonly string[]): string | undefined;
    encoding(available: readonly string[], options: { readonly preferred: readonly string[] }): string | undefined;
  }
}
