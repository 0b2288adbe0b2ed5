/** A time as a person says it; the exact one is behind it. */
import { momentText } from './moment-text.ts';

export function Moment({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {momentText(at, Date.now())}
    </time>
  );
}
