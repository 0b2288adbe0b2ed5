/** A time, in the one form of the console; how long ago that is is behind it. */
import { momentText, timeText } from './moment-text.ts';

export function Moment({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={`UTC, ${momentText(at, Date.now())}`}>
      {timeText(at)}
    </time>
  );
}
