/** What a text of the file would do to the data, a moment after it was typed. */
import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../api/problem.ts';
import { type Plan, planFor } from './settings.ts';

export type Planned = {
  /** Of an earlier text while the server thinks about this one. */
  readonly plan: Plan | undefined;
  readonly isCurrent: boolean;
  /** Why there is no plan. */
  readonly failure: string | undefined;
};

const afterMs = 250;
const nothing: Plan = { mistakes: [], steps: [], renames: [], violations: [] };

/** `base`: the text for which there is nothing to do. */
export function usePlan(text: string, base: string): Planned {
  const [answered, setAnswered] = useState<{ text: string; plan?: Plan; failure?: string }>({
    text: base,
    plan: nothing,
  });
  useEffect(() => {
    if (text === base) {
      setAnswered({ text, plan: nothing });
      return;
    }
    const ended = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const plan = await planFor(text, ended.signal);
        setAnswered({ text, plan });
      } catch (error) {
        if (!ended.signal.aborted) setAnswered({ text, failure: messageOf(error) });
      }
    }, afterMs);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [text, base]);
  const isCurrent = answered.text === text;
  return { plan: answered.plan, isCurrent, failure: isCurrent ? answered.failure : undefined };
}
