/** The forms of the issuer of the tests, in Chromium. */
import type { Page } from 'playwright-core';

/** Signs in, and agrees if the issuer asks for that. */
export async function signInAt(page: Page, name: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(name);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

export async function confirmSignOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Yes, sign me out' }).click();
}
