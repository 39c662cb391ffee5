/** The page that a host shows for an address without one. */
import { withBase } from "vitepress";
import { defineComponent, h } from "vue";

export const NotFound = defineComponent(
  () => () =>
    h("main", { class: "not-found vp-doc" }, [
      h("h1", "Page not found"),
      h("p", [
        "The site has no page at this address. Search for it above, or open ",
        h("a", { href: withBase("/docs/index.html") }, "the index of the documentation"),
        ".",
      ]),
    ]),
);
