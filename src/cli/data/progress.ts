/** How far a long command is: one line that is rewritten on a terminal, a plain line from time to time elsewhere. */

import { counted, grouped } from '../text/amounts.ts';

/** Milliseconds between two reports on a terminal, and elsewhere. */
const redrawMs = 200;
const plainMs = 10_000;

export type Progress = {
  /**
   * `done` things of `total`, or the `share` of all that they are, from 0 to 1, if that is known. `kinds` says what they are. Reports are rationed: call it
   * as often as you like.
   */
  at(done: number, total?: number | { readonly share: number }, kinds?: string): void;
  /** Removes the line from the terminal, so that another line can follow. */
  end(): void;
};

type Total = Parameters<Progress['at']>[1];

/** Where reports go: standard error, so that standard output has only results. */
export type Screen = { readonly isTTY?: boolean; write(text: string): unknown };

/** `doing` begins each report, as in "Importing books". `thing` is what is counted, as in "record". `now` is in milliseconds. */
export function progressOn(
  screen: Screen,
  doing: string,
  thing: string,
  now: () => number = () => performance.now(),
): Progress {
  const begun = now();
  const every = screen.isTTY ? redrawMs : plainMs;
  let reported = screen.isTTY ? Number.NEGATIVE_INFINITY : begun;
  let isDrawn = false;
  return {
    at(done, total, kinds) {
      const time = now();
      if (time - reported < every) return;
      reported = time;
      const kindTexts = kinds === undefined ? [] : [kinds];
      const parts = [doneText(done, total, thing), ...kindTexts, ...paceTexts(done, total, time - begun)];
      const text = `${doing}: ${parts.join(', ')}`;
      isDrawn = screen.isTTY === true;
      screen.write(isDrawn ? `\r\u001b[K${text}` : `${text}\n`);
    },
    end() {
      if (isDrawn) screen.write('\r\u001b[K');
      isDrawn = false;
    },
  };
}

function paceTexts(done: number, total: Total, ms: number): string[] {
  const rate = ms > 0 ? (done / ms) * 1000 : 0;
  const parts = [`${grouped(Math.round(rate))} a second`];
  const all = typeof total === 'object' ? done / total.share : total;
  if (all !== undefined && all > done && rate > 0) parts.push(`${duration((all - done) / rate)} left`);
  return parts;
}

function doneText(done: number, total: Total, thing: string): string {
  if (total === undefined) return counted(done, thing);
  if (typeof total === 'number') return `${grouped(done)} of ${counted(total, thing)}`;
  return `${counted(done, thing)} (${Math.floor(total.share * 100)} %)`;
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
