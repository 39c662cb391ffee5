/**
 * Icons: 16 pixels, drawn with lines in the colour of the text. They accompany words and have no
 * meaning alone.
 */
import type { VNode } from "preact";

const paths = {
  overview: "M2 8.5h3l2-5 3 9 1.8-4H14",
  document: "M4 1.8h5.5L13 5.3v8.9H4zM9.3 2v3.5H13M6.2 8.5h4.6M6.2 11h4.6",
  states:
    "M5.6 4a2.1 2.1 0 1 1-4.2 0 2.1 2.1 0 0 1 4.2 0zM14.6 12a2.1 2.1 0 1 1-4.2 0 2.1 2.1 0 0 1 4.2 0zM5.6 4h3a3.9 3.9 0 0 1 3.9 3.9v2",
  data: "M2 3h12v10H2zM2 6.3h12M2 9.6h12M6.2 6.3V13",
  requests: "M2 5h11M10.2 2.2 13 5l-2.8 2.8M14 11H3M5.8 8.2 3 11l2.8 2.8",
  try: "M4.5 2.6v10.8L13 8z",
  events: "M8.8 1.6 3.2 9h4.2l-.6 5.4L12.8 7H8.4z",
  deliveries: "M14 2 1.8 6.8l5 2.2 2.2 5zM14 2 6.8 9",
  scenarios: "M2 4.2 3.3 5.5 5.6 3M2 11.2l1.3 1.3L5.6 10M8 4.5h6M8 11.5h6",
  sandbox: "M8 1.6 14 5v6l-6 3.4L2 11V5zM2 5l6 3.4L14 5M8 8.4v6",
  docs: "M8 3.6C6.4 2.5 4.2 2.3 2 2.6v10c2.2-.3 4.4-.1 6 1 1.6-1.1 3.8-1.3 6-1v-10c-2.2-.3-4.4-.1-6 1zM8 3.6v10",
  search: "M11 6.8a4.2 4.2 0 1 1-8.4 0 4.2 4.2 0 0 1 8.4 0zM9.9 9.9 13.6 13.6",
  menu: "M2 4h12M2 8h12M2 12h12",
  close: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  back: "M9.8 3 4.8 8l5 5",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  done: "M2.5 8.5 6 12l7.5-8",
  chevron: "M5.5 3.5 10 8l-4.5 4.5",
  warning: "M8 2 15 14H1zM8 6.5v3.7M8 12v.1",
  wide: "M9.5 2.5h4v4M13.5 2.5 9 7M6.5 13.5h-4v-4M2.5 13.5 7 9",
  filter: "M2 3h12L9.6 8.4v4.4L6.4 11V8.4z",
  keys: "M1.6 4h12.8v8H1.6zM4 6.6h.1M6.6 6.6h.1M9.2 6.6h.1M11.8 6.6h.1M5 9.6h6",
} as const;

export type IconName = keyof typeof paths;

export function isIcon(name: string): name is IconName {
  return name in paths;
}

export function Icon({ name }: { readonly name: IconName }): VNode {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
