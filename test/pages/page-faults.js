/**
 * Runs inside a page: returns what is wrong with the page as texts, one for each kind of fault and
 * element. `axe` is loaded before.
 *
 * @param given the options of axe, and how many kinds of elements get the focus
 */
globalThis.pageFaults = async (given) => {
  const faults = [];
  const report = (kind, elements) => {
    const shown = elements.slice(0, 5).map((element) => element.outerHTML.replace(/\s+/g, " ").slice(0, 160));
    for (const text of new Set(shown)) faults.push(`${kind}: ${text}`);
  };
  const root = document.documentElement;
  const all = [...document.querySelectorAll("body, body *")];
  const isVisible = (element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true, contentVisibilityAuto: true });

  // Title, headings, identifiers.
  if (document.title.trim() === "") faults.push("no title");
  const headings = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter(isVisible);
  const titles = headings.filter(({ tagName }) => tagName === "H1");
  if (titles.length !== 1) faults.push(`${titles.length} visible h1`);
  report(
    "empty heading",
    headings.filter((heading) => heading.innerText.trim() === ""),
  );
  const byId = Map.groupBy(document.querySelectorAll("[id]"), ({ id }) => id);
  report(
    "duplicate id",
    [...byId.values()].filter((elements) => elements.length > 1).map(([first]) => first),
  );

  // Links within the page, and images.
  report(
    "broken anchor",
    [...document.querySelectorAll("a[href^='#']")].filter((link) => {
      const anchor = decodeURIComponent(link.getAttribute("href").slice(1));
      return anchor !== "" && !byId.has(anchor);
    }),
  );
  const images = [...document.images];
  for (const image of images) image.loading = "eager";
  await Promise.all(images.map((image) => image.decode().catch(() => {})));
  report(
    "broken image",
    images.filter((image) => image.naturalWidth === 0),
  );

  // Nothing is wider than the screen.
  if (root.scrollWidth > root.clientWidth)
    faults.push(`wider than the screen: ${root.scrollWidth} > ${root.clientWidth}`);
  /** Whether the element is for screen readers alone: one pixel, or cut to nothing. */
  const isHiddenText = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const { clipPath, clip, position } = getComputedStyle(at);
      const { width, height } = at.getBoundingClientRect();
      if ((clipPath !== "none" || clip !== "auto" || position === "absolute") && width <= 2 && height <= 2)
        return true;
      if (clipPath.startsWith("inset(50%")) return true;
    }
    return false;
  };

  /**
   * The nearest ancestor that cuts off what is right of it, unless one that scrolls is nearer. The
   * root scrolls the page, so it cuts nothing off.
   */
  const cutterOf = (element) => {
    for (let at = element; at && at !== document.body && at !== root; at = at.parentElement) {
      const { overflowX } = getComputedStyle(at);
      if (overflowX === "auto" || overflowX === "scroll") return undefined;
      if (overflowX === "hidden" || overflowX === "clip") return at;
    }
    return undefined;
  };
  const hasTooltip = (element) => element.closest("[title], [data-tooltip], [aria-describedby]") !== null;
  const withText = all.filter(
    (element) =>
      [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "") &&
      !["SCRIPT", "STYLE", "NOSCRIPT", "OPTION", "TITLE"].includes(element.tagName) &&
      isVisible(element) &&
      !isHiddenText(element),
  );
  const rightOf = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return Math.max(...[...range.getClientRects()].map(({ right }) => right), 0);
  };
  const scrolls = (element) => {
    for (let at = element.parentElement; at && at !== root; at = at.parentElement)
      if (/auto|scroll/.test(getComputedStyle(at).overflowX)) return true;
    return false;
  };
  report(
    "text is cut off without a tooltip",
    withText.filter((element) => {
      const cutter = cutterOf(element);
      if (!cutter || hasTooltip(element)) return false;
      const { right, width } = cutter.getBoundingClientRect();
      return width > 2 && rightOf(element) > right + 1.5;
    }),
  );
  report(
    "lines are cut off without a tooltip",
    withText.filter((element) => {
      const { webkitLineClamp, overflowY } = getComputedStyle(element);
      const isClamped = webkitLineClamp !== "none" || overflowY === "hidden" || overflowY === "clip";
      return isClamped && element.scrollHeight > element.clientHeight + 4 && !hasTooltip(element);
    }),
  );
  report(
    "text is outside of the screen",
    withText.filter(
      (element) =>
        !scrolls(element) &&
        !cutterOf(element) &&
        element.getBoundingClientRect().left >= 0 &&
        rightOf(element) > root.clientWidth + 1,
    ),
  );

  // Accessibility.
  const { violations } = await axe.run(given.axe);
  for (const { id, nodes } of violations)
    for (const { html, failureSummary } of nodes.slice(0, 3))
      faults.push(`axe ${id}: ${html.replace(/\s+/g, " ").slice(0, 200)} ${failureSummary ?? ""}`.trim());

  // A visible focus: something of the element's look differs while it has the focus.
  const look = (element) => {
    // A frame around a field may show its focus.
    const around = [element.parentElement, element.parentElement?.parentElement];
    const parts = [element, ...around, ...element.querySelectorAll(":scope > *")];
    return parts
      .filter((part) => part instanceof Element)
      .flatMap((part) =>
        [undefined, "::before", "::after"].map((pseudo) => {
          const style = getComputedStyle(part, pseudo);
          const outline = style.outlineStyle === "none" ? "" : `${style.outlineWidth} ${style.outlineColor}`;
          return [
            outline,
            style.boxShadow,
            style.borderColor,
            style.backgroundColor,
            style.textDecoration,
            style.clipPath,
            style.transform,
          ].join(" ");
        }),
      )
      .join("|");
  };
  const focusable = all.filter(
    (element) =>
      element.matches(
        "a[href], button:not([disabled]), input:not([disabled]), select, textarea, summary, [tabindex='0']",
      ) && isVisible(element),
  );
  const kinds = new Map(focusable.map((element) => [`${element.tagName} ${element.className}`, element]));
  document.activeElement?.blur();
  report(
    "focus is invisible",
    [...kinds.values()].slice(0, given.focusMax).filter((element) => {
      const without = look(element);
      element.focus({ preventScroll: true, focusVisible: true });
      const isSame = document.activeElement === element && look(element) === without;
      element.blur();
      return isSame;
    }),
  );
  return faults;
};
