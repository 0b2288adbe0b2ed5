/** Whether a header such as Accept or Accept-Encoding names a value outright and does not weigh it with zero. */
export function accepts(header: string | null, value: string): boolean {
  return (header ?? '').split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    return name === value && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
