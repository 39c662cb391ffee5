/**
 * Behaviour of the site's pages: the choice of colours, tabs of code, copying, and the search. It
 * creates nodes and never parses HTML from text, sends no request to another host, and stores
 * nothing but two choices: the colours and the language of examples.
 */
(() => {
  const root = document.documentElement;
  root.dataset.script = "";

  // A page opened from a disk may have no storage: then the choices last as long as the page.
  const kept = {
    read(name) {
      try {
        return localStorage.getItem(`ninefold-docs-${name}`);
      } catch {
        return null;
      }
    },
    write(name, value) {
      try {
        localStorage.setItem(`ninefold-docs-${name}`, value);
      } catch {}
    },
  };

  const theme = kept.read("theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;

  document.addEventListener("DOMContentLoaded", () => {
    prepareTheme();
    for (const choice of document.querySelectorAll(".choice")) prepareTabs(choice);
    if (navigator.clipboard) for (const code of document.querySelectorAll(".code")) addCopy(code);
    prepareSearch();
    followAnchor();
    followReading();
  });
  addEventListener("hashchange", followAnchor);
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("main details")) details.open = true;
  });

  function element(name, properties = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
      if (key === "class") made.className = value;
      else made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  }

  // ── Colours ──────────────────────────────────────────────────────────────────────────────────

  function prepareTheme() {
    const button = document.querySelector(".theme-button");
    const isDark = () =>
      root.dataset.theme === undefined
        ? matchMedia("(prefers-color-scheme: dark)").matches
        : root.dataset.theme === "dark";
    const showTheme = () => {
      button.setAttribute("aria-label", isDark() ? "Light colours" : "Dark colours");
      button.textContent = isDark() ? "☀" : "☾";
    };
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      kept.write("theme", root.dataset.theme);
      showTheme();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showTheme);
    showTheme();
  }

  // ── Tabs ─────────────────────────────────────────────────────────────────────────────────────

  let tabsMade = 0;

  function prepareTabs(choice) {
    const panels = [...choice.querySelectorAll(":scope > .choice-panel")];
    if (panels.length < 2) return;
    const tabs = panels.map((panel) => {
      tabsMade += 1;
      panel.id ||= `panel-${tabsMade}`;
      const heading = panel.querySelector(":scope > .caption");
      const tab = element("button", {
        type: "button",
        role: "tab",
        id: `tab-${tabsMade}`,
        "aria-controls": panel.id,
      });
      tab.textContent = heading.textContent;
      heading.hidden = true;
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", tab.id);
      return tab;
    });
    const select = (at, focus) => {
      panels.forEach((panel, index) => {
        panel.hidden = index !== at;
        tabs[index].setAttribute("aria-selected", String(index === at));
        tabs[index].tabIndex = index === at ? 0 : -1;
      });
      if (focus) tabs[at].focus();
    };
    choice.select = (words) => {
      const at = tabs.findIndex((tab) => tab.textContent === words);
      if (at !== -1) select(at, false);
    };
    tabs.forEach((tab, at) => {
      tab.addEventListener("click", () => choose(choice, tab.textContent, () => select(at, true)));
      tab.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (step) {
          const next = (at + step + tabs.length) % tabs.length;
          choose(choice, tabs[next].textContent, () => select(next, true));
        }
      });
    });
    choice.prepend(
      element("div", { class: "tabs", role: "tablist", "aria-label": choice.dataset.label }, ...tabs),
    );
    select(0, false);
    const language = kept.read("language");
    if (choice.dataset.choice === "language" && language) choice.select(language);
  }

  // Choosing a language for one example chooses it for all. The page keeps its scroll position at
  // the chosen example.
  function choose(choice, words, select) {
    if (choice.dataset.choice !== "language") return select();
    const before = choice.getBoundingClientRect().top;
    kept.write("language", words);
    for (const other of document.querySelectorAll('.choice[data-choice="language"]')) other.select?.(words);
    select();
    scrollBy({ top: choice.getBoundingClientRect().top - before, behavior: "instant" });
  }

  // ── Copying ──────────────────────────────────────────────────────────────────────────────────

  function addCopy(code) {
    const button = element("button", { type: "button", class: "copy" }, "Copy");
    button.addEventListener("click", async () => {
      const done = await navigator.clipboard.writeText(code.querySelector("code").textContent).then(
        () => "Copied",
        () => "Not allowed",
      );
      button.textContent = done;
      setTimeout(() => {
        button.textContent = "Copy";
      }, 1500);
    });
    code.append(button);
  }

  // ── Anchors ──────────────────────────────────────────────────────────────────────────────────

  // An anchor names a thing and not its page: an anchor that isn't on this page is searched for on
  // the others.
  async function followAnchor() {
    let anchor;
    try {
      anchor = decodeURIComponent(location.hash.slice(1));
    } catch {
      return;
    }
    if (anchor === "") return;
    const target = document.getElementById(anchor);
    if (target) {
      for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
      target.scrollIntoView({ behavior: "instant" });
      return;
    }
    const entries = await loadEntries();
    const entry = entries.find(
      (candidate) => candidate.u.slice(candidate.u.indexOf("#") + 1) === encodeURIComponent(anchor),
    );
    if (entry) location.replace(entry.u);
  }

  // Marks the entry of the side list that belongs to the section at the top of the window.
  function followReading() {
    const links = new Map(
      [...document.querySelectorAll(".frame > .side ul ul a")].map((link) => [
        decodeURIComponent(link.hash.slice(1)),
        link,
      ]),
    );
    if (links.size === 0 || !("IntersectionObserver" in window)) return;
    const targets = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
    const markCurrent = () => {
      const read = targets.findLast((target) => target.getBoundingClientRect().top < 160);
      for (const link of links.values()) link.removeAttribute("aria-current");
      if (read) links.get(read.id).setAttribute("aria-current", "location");
    };
    // The observer runs when a target enters or leaves the top of the page, and costs nothing
    // during scrolling.
    const observer = new IntersectionObserver(markCurrent, { rootMargin: "-60px 0px -75% 0px" });
    for (const target of targets) observer.observe(target);
  }

  // ── Search ───────────────────────────────────────────────────────────────────────────────────

  // The entries are a script, because a page opened from a disk can load nothing else; the first
  // search loads them.
  const policy = window.trustedTypes?.createPolicy("ninefold-docs", {
    createScriptURL(address) {
      if (address === "search.js" || address === "minisearch.js") return address;
      throw new TypeError("Only the site's own scripts are loaded.");
    },
  });

  function loadScript(address) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = policy ? policy.createScriptURL(address) : address;
      script.addEventListener("load", resolve);
      script.addEventListener("error", reject);
      document.head.append(script);
    });
  }

  let entriesLoaded;
  function loadEntries() {
    entriesLoaded ??= loadScript("search.js").then(() => window.ninefoldSearch);
    return entriesLoaded;
  }

  let indexLoaded;
  function loadIndex() {
    indexLoaded ??= Promise.all([loadEntries(), loadScript("minisearch.js")]).then(([entries]) => {
      const index = new window.MiniSearch({
        idField: "u",
        fields: ["t", "w", "x"],
        storeFields: ["t", "k", "w"],
        // `in_transit`, `createParcel` and `parcel.delivered` are found by their pieces too.
        tokenize: (text) =>
          [...text.split(/[\s/{}()",;:]+/), ...text.split(/[^\p{L}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u)].filter(
            (word) => word !== "",
          ),
        searchOptions: {
          boost: { t: 4, w: 1.5 },
          prefix: true,
          fuzzy: (word) => (word.length > 4 ? 0.2 : false),
          combineWith: "AND",
          boostDocument: (_id, _word, stored) =>
            stored.k === "endpoint" || stored.k === "resource" ? 1.5 : 1,
        },
      });
      index.addAll(entries);
      return index;
    });
    return indexLoaded;
  }

  const resultsMax = 20;

  function prepareSearch() {
    const dialog = document.querySelector("dialog");
    const input = dialog.querySelector("input");
    const list = dialog.querySelector(".search-results");
    const status = dialog.querySelector(".search-status");
    let selected = -1;

    const open = () => {
      if (dialog.open) return;
      dialog.showModal();
      input.select();
      loadIndex().then(show, () => {
        status.textContent = "The search could not be loaded.";
      });
    };
    const select = (at) => {
      const options = list.children;
      if (options.length === 0) return;
      options[selected]?.setAttribute("aria-selected", "false");
      selected = (at + options.length) % options.length;
      options[selected].setAttribute("aria-selected", "true");
      options[selected].scrollIntoView({ block: "nearest" });
      input.setAttribute("aria-activedescendant", options[selected].id);
    };
    const show = async () => {
      const index = await loadIndex();
      const words = input.value.trim();
      const hits = words === "" ? [] : index.search(words).slice(0, resultsMax);
      selected = -1;
      input.removeAttribute("aria-activedescendant");
      list.replaceChildren(...hits.map(optionOf));
      list.hidden = hits.length === 0;
      status.textContent =
        words === ""
          ? "Endpoints, fields, states, errors, events …"
          : hits.length === 0
            ? "Nothing found."
            : "";
      status.hidden = status.textContent === "";
      select(0);
    };
    const optionOf = ({ id, t, k, w }, at) => {
      const option = element(
        "li",
        { role: "option", id: `option-${at}`, "aria-selected": "false" },
        element("span", {}, t),
        element("span", { class: "kind" }, k),
        ...(w === "" ? [] : [element("span", { class: "where" }, w)]),
      );
      option.addEventListener("click", () => go(id));
      return option;
    };
    const go = (address) => {
      dialog.close();
      location.assign(address);
    };

    document.querySelector(".search-button").addEventListener("click", open);
    document.addEventListener("keydown", (event) => {
      const writing =
        /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) || event.target.isContentEditable;
      const opensSearch =
        (event.key === "/" && !writing && !event.ctrlKey && !event.metaKey && !event.altKey) ||
        (event.key === "k" && (event.ctrlKey || event.metaKey));
      if (!opensSearch) return;
      event.preventDefault();
      open();
    });
    input.addEventListener("input", show);
    input.addEventListener("keydown", async (event) => {
      if (event.key === "ArrowDown") select(selected + 1);
      else if (event.key === "ArrowUp") select(selected - 1);
      else if (event.key === "Enter") {
        const hits = (await loadIndex()).search(input.value.trim());
        const hit = hits[selected];
        if (hit) go(hit.id);
      } else return;
      event.preventDefault();
    });
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    });
  }
})();
