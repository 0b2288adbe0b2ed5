/** Which traces are recorded: OTEL_TRACES_SAMPLER. */
import type { Parent } from './trace-context.ts';

export const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export type SamplerSettings = { readonly name: (typeof samplerNames)[number]; readonly ratio: number };

/**
 * By the 56 random bits at the end of a trace id (W3C Trace Context, level 2): every service with the same share records the same traces.
 * The highest 32 of these bits are compared.
 */
export class Sampler {
  readonly #isParentBased: boolean;
  /** The lowest value that is recorded. */
  readonly #threshold: number;

  constructor({ name, ratio }: SamplerSettings) {
    this.#isParentBased = name.startsWith('parentbased_');
    const share = name.endsWith('always_on') ? 1 : name.endsWith('always_off') ? 0 : ratio;
    this.#threshold = Math.round((1 - share) * 2 ** 32);
  }

  /** `random`: of the id of a new trace. */
  takesNew(random: number): boolean {
    return random >= this.#threshold;
  }

  takesChild({ traceId, isSampled }: Parent): boolean {
    return this.#isParentBased ? isSampled : this.takesNew(Number.parseInt(traceId.slice(18, 26), 16));
  }
}
