/** A time as a person says it; the exact one is behind it. */
import { momentText, timeText } from './moment-text.ts';

export function Moment({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={`${timeText(at)} UTC`}>
      {momentText(at, Date.now())}
    </time>
  );
}
