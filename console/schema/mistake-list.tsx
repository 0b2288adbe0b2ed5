/** What is wrong with a part of the file, beside it. */
export function MistakeList({ id, mistakes }: { readonly id?: string; readonly mistakes: readonly string[] }) {
  if (mistakes.length === 0) return null;
  return (
    <div class="mistakes" id={id} role="alert">
      <ul class="plain-list">
        {mistakes.map((message) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
    </div>
  );
}
