/** Records what a person does in a page: a pointer that moves, clicks and types, with a line that says what happens. */
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import type { Frame } from './apng.ts';
import { decode } from './png.ts';

/** Milliseconds that a reader needs: while the pointer moves, after a letter, after a click, to read. */
export const pace = { move: 40, letter: 90, press: 350, glance: 900, read: 2600 };
const stepsOfMove = 10;

export class Recorder {
  readonly frames: Frame[] = [];
  #at = { x: 640, y: 420 };
  #line = '';

  private constructor(private readonly page: Page) {}

  /** Before the page is opened. */
  static async in(page: Page): Promise<Recorder> {
    await page.addInitScript({ path: join(import.meta.dir, 'pointer.js') });
    return new Recorder(page);
  }

  async say(line: string, ms = pace.read): Promise<void> {
    this.#line = line;
    await this.page.mouse.move(this.#at.x, this.#at.y);
    await this.show(ms);
  }

  /** The page as it is now, for some milliseconds. */
  async show(ms: number, isPressed = false): Promise<void> {
    await this.page.evaluate(`showPointer(${JSON.stringify(this.#line)}, ${isPressed})`);
    this.frames.push({ pixels: decode(await this.page.screenshot()), ms });
  }

  async click(target: Locator): Promise<void> {
    await this.pointAt(target);
    await this.page.mouse.click(this.#at.x, this.#at.y);
    await this.show(pace.glance);
  }

  /** Shows a click without making it. */
  async pointAt(target: Locator): Promise<void> {
    await this.#moveTo(target);
    await this.show(pace.press, true);
  }

  /** In place of what the input has. */
  async type(target: Locator, text: string): Promise<void> {
    await this.click(target);
    for (let length = 1; length <= text.length; length++) {
      await target.fill(text.slice(0, length));
      await this.show(pace.letter);
    }
    await this.show(pace.glance);
  }

  async #moveTo(target: Locator): Promise<void> {
    await target.scrollIntoViewIfNeeded();
    const box = await target.boundingBox();
    if (box === null) throw new Error('The target of the pointer is not visible.');
    const from = this.#at;
    // A row is wide: its beginning is where the eye is.
    const to = { x: Math.round(box.x + Math.min(box.width / 2, 150)), y: Math.round(box.y + box.height / 2) };
    for (let step = 1; step <= stepsOfMove; step++) {
      const part = (1 - Math.cos((Math.PI * step) / stepsOfMove)) / 2;
      this.#at = { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
      await this.page.mouse.move(this.#at.x, this.#at.y);
      await this.show(pace.move);
    }
  }
}
