/**
 * The frame around every page: the service, the navigation, the state of the stream, and errors.
 * The URL selects the page.
 */
import { Component, type ComponentChildren, type VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useFrames } from "../api/use-topic.ts";
import { isTokenRejected, token } from "../api/token.ts";
import { setGoTo, useKeys } from "../keys/keys.ts";
import { Announcer } from "../parts/announcer.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Empty } from "../parts/empty.tsx";
import { Icon } from "../parts/icon.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { ErrorNotice } from "../parts/error-notice.tsx";
import { hash, navigate, path } from "../routing/address.ts";
import { linkTo } from "../routing/links.ts";
import { place } from "../routing/router.ts";
import { t } from "../words/words.ts";
import { KeysDialog } from "./keys-dialog.tsx";
import { LiveChip } from "./live-chip.tsx";
import { linkToPage, Navigation, availablePages } from "./navigation.tsx";
import { Palette } from "./palette.tsx";
import { requestService, service, serviceError } from "./service.ts";
import { SpaceChooser } from "./space-chooser.tsx";
import { TokenPage } from "./token-page.tsx";
import { TimesChooser } from "./times-chooser.tsx";
import { AlertBanner } from "./alert-banner.tsx";

export function Console(): VNode {
  return token.value === undefined || isTokenRejected.value ? <TokenPage /> : <Frame />;
}

type OpenedDialog = "menu" | "keys" | "palette" | undefined;

function Frame(): VNode {
  const [openedDialog, setOpenedDialog] = useState<OpenedDialog>();
  const close = () => setOpenedDialog(undefined);
  useKeys({ "/": () => setOpenedDialog("palette"), "?": () => setOpenedDialog("keys") });
  useEffect(() => {
    setGoTo((letter) => {
      const page = availablePages().find((page) => page.key === letter);
      if (page) navigate(linkToPage(page));
      return page !== undefined;
    });
    void requestService();
  }, []);
  useFrames("trouble", (frame) => {
    if (frame.kind === "begin") void requestService();
  });
  return (
    <>
      <a class="skip" href="#content">
        {t("shell.skip")}
      </a>
      {pagesWithRows.has(place.value?.page.name ?? "") && (
        <button type="button" class="skip" onClick={focusRows}>
          {t("shell.skipToRows")}
        </button>
      )}
      <div class="shell">
        <header class="bar">
          <button
            type="button"
            class="quiet menu-button"
            aria-label={t("shell.menu")}
            onClick={() => setOpenedDialog("menu")}
          >
            <Icon name="menu" />
          </button>
          <Name />
          <div class="bar-end">
            <div class="bar-live">
              <LiveChip />
            </div>
            <button
              type="button"
              class="quiet search-button"
              aria-label={t("shell.search")}
              aria-keyshortcuts="/"
              onClick={() => setOpenedDialog("palette")}
            >
              <Icon name="search" />
              <span>{t("shell.search")}</span>
              <kbd>/</kbd>
            </button>
          </div>
        </header>
        <aside class="side" aria-label={t("shell.console")}>
          <Navigation />
          <div class="side-end">
            <SpaceChooser />
            <LiveChip />
            <TimesChooser />
            <button
              type="button"
              class="quiet small"
              aria-keyshortcuts="?"
              aria-label={t("shell.keys")}
              onClick={() => setOpenedDialog("keys")}
            >
              <Icon name="keys" />
            </button>
          </div>
        </aside>
        <main id="content" tabIndex={-1}>
          <AlertBanner />
          <PageHere />
        </main>
      </div>
      {openedDialog === "menu" && (
        <Dialog title={t("shell.menu")} close={close} kind="drawer">
          <Navigation onGo={close} />
          <div class="side-end">
            <SpaceChooser />
            <TimesChooser />
          </div>
        </Dialog>
      )}
      {openedDialog === "keys" && <KeysDialog close={close} />}
      {openedDialog === "palette" && <Palette close={close} />}
      <Announcer />
    </>
  );
}

/** Moves the focus to the rows, past the filters above them, which take many tab stops. */
const pagesWithRows: ReadonlySet<string> = new Set(["data", "requests", "events", "deliveries"]);

function focusRows(): void {
  document.querySelector<HTMLElement>('main tbody a.row-link[tabindex="0"]')?.focus();
}

function Name(): VNode {
  const served = service.value;
  return (
    <a class="service-name" href={linkTo([])}>
      <img src="/icon.svg" alt="" width="24" height="24" />
      <span class="service-words">
        <span class="one-line" title={served?.name ?? t("shell.product")}>
          {served?.name ?? t("shell.product")}
        </span>
        {served?.version && <span class="muted one-line">{served.version}</span>}
      </span>
    </a>
  );
}

function PageHere(): VNode {
  const here = place.value;
  const name = here?.page.name;
  const isFirst = useRef(true);
  const wasPart = useRef(here?.parameters["resource"]);
  const frame = useRef<HTMLDivElement>(null);
  // Another page starts at its top; the browser scrolls the first one.
  useEffect(() => {
    if (!isFirst.current && hash.value === "") {
      scrollTo({ top: 0 });
      frame.current?.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
    }
    isFirst.current = false;
  }, [name]);
  // When a page opens one of its parts, its head is replaced and loses the focus: the new head
  // receives it.
  const part = here?.parameters["resource"];
  useEffect(() => {
    if (wasPart.current !== part && !isFirst.current && document.activeElement === document.body)
      frame.current?.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
    wasPart.current = part;
  }, [part]);
  return (
    <div class="page" ref={frame}>
      {serviceError.value && !service.value ? (
        <ErrorNotice error={serviceError.value} again={() => void requestService()} />
      ) : here ? (
        <Guarded key={name}>
          <here.page.component parameters={here.parameters} />
        </Guarded>
      ) : (
        <>
          <PageHead title={t("shell.notFoundTitle")} />
          <Empty title={t("shell.notFound", { path: path.value })}>
            <a href={linkTo([])}>{t("shell.toOverview")}</a>
          </Empty>
        </>
      )}
    </div>
  );
}

/** Error boundary: a fault of one page leaves the navigation working. */
class Guarded extends Component<{ readonly children: ComponentChildren }, { readonly hasFault: boolean }> {
  override state = { hasFault: false };

  static override getDerivedStateFromError(): { readonly hasFault: boolean } {
    return { hasFault: true };
  }

  override componentDidCatch(error: unknown): void {
    // Reports the error to the browser's console.
    reportError(error);
  }

  override render(): ComponentChildren {
    if (!this.state.hasFault) return this.props.children;
    return (
      <>
        <PageHead title={t("shell.faultTitle")} />
        <Empty title={t("shell.fault")}>
          <button type="button" onClick={() => location.reload()}>
            {t("shell.reload")}
          </button>
        </Empty>
      </>
    );
  }
}
