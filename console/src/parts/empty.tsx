/** An empty list: says that nothing is there, and what to do about it. */
import type { ComponentChildren, VNode } from "preact";

export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}): VNode {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <div class="empty-more">{children}</div>}
    </div>
  );
}
