/** Views of one page, each with its own URL. */
import type { VNode } from "preact";

export function Views({
  label,
  of,
}: {
  readonly label: string;
  readonly of: readonly { readonly label: string; readonly link: string; readonly isCurrent: boolean }[];
}): VNode {
  return (
    <nav class="views" aria-label={label}>
      {of.map(({ label: words, link, isCurrent }) => (
        <a key={link} href={link} aria-current={isCurrent ? "page" : undefined}>
          {words}
        </a>
      ))}
    </nav>
  );
}
