/** When each API key was last used. Uses are collected in memory and stored together, so that no request waits for a write. */
import type { ApiKeys, KeyUse } from '../../domain/store/api-keys.ts';

export class KeyUses {
  /** By digest. Only valid keys are noted, so there are never more than that. */
  readonly #uses = new Map<string, string>();

  constructor(readonly keys: ApiKeys) {}

  note(digest: string, at: string): void {
    this.#uses.set(digest, at);
  }

  /** Uses that cannot be stored now are stored with the next ones. */
  async store(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses: KeyUse[] = [...this.#uses].map(([digest, at]) => ({ digest, at }));
    this.#uses.clear();
    try {
      await this.keys.used(uses);
    } catch (error) {
      for (const { digest, at } of uses) if (!this.#uses.has(digest)) this.#uses.set(digest, at);
      throw error;
    }
  }
}
