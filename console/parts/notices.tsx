/** Shows the notices; a screen reader reads each as it appears. */
import type { ComponentChildren } from 'preact';
import { notices, removeNotice } from '../state/notices.ts';
import { Button } from './button.tsx';
import './notices.css';

/** `children`: one that has a state of its own. */
export function Notices({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="notices" role="status" aria-live="polite">
      {children}
      {notices.value.map((notice) => (
        <div key={notice.id} class={`notice ${notice.kind}`}>
          <span>{notice.text}</span>
          {notice.action === undefined ? null : (
            <Button
              kind="quiet"
              onPress={() => {
                removeNotice(notice.id);
                notice.action?.run();
              }}
            >
              {notice.action.label}
            </Button>
          )}
          <Button icon="close" kind="quiet" label="Close this message" onPress={() => removeNotice(notice.id)} />
        </div>
      ))}
    </div>
  );
}
