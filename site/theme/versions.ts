/**
 * Links to the same page in other versions of the documentation, and a notice above the pages of an
 * earlier one.
 */
import { useData, withBase } from "vitepress";
import { defineComponent, h } from "vue";
import type { Version } from "../edition.ts";

function useVersions() {
  const { theme, page } = useData();
  const versions: readonly Version[] = theme.value.versions;
  const own = versions.find(({ name }) => name === theme.value.version);
  // The path of the site, without the folder of the version.
  const site = withBase("/").slice(0, -(own?.folder.length ?? 0) || undefined);
  return {
    versions,
    own,
    addressOf: ({ folder }: Version) => site + folder,
    /** A version may lack the page: then its first page is opened. */
    async go(event: MouseEvent, { folder }: Version) {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      const same = site + folder + page.value.relativePath.replace(/\.md$/, ".html");
      const isThere = await fetch(same, { method: "HEAD" }).then(
        ({ ok }) => ok,
        () => false,
      );
      location.href = isThere ? same + location.hash : site + folder;
    },
  };
}

export const VersionLinks = defineComponent(() => {
  const { versions, own, addressOf, go } = useVersions();
  return () =>
    versions
      .filter((version) => version !== own)
      .map((version) =>
        h("li", { class: "VPMenuLink" }, [
          h(
            "a",
            {
              class: "version",
              href: addressOf(version),
              onClick: (event: MouseEvent) => go(event, version),
            },
            `Version ${version.name}`,
          ),
        ]),
      );
});

export const EarlierNotice = defineComponent(() => {
  const { versions, own, addressOf, go } = useVersions();
  return () => {
    const [current] = versions;
    if (current === undefined || own === current) return undefined;
    return h("p", { class: "earlier" }, [
      `This page is of version ${own?.name}. `,
      h(
        "a",
        { href: addressOf(current), onClick: (event: MouseEvent) => go(event, current) },
        current.name === "next" ? "Read it in the newest version" : `Read it in version ${current.name}`,
      ),
    ]);
  };
});
