/** The list of keyboard shortcuts, and the switch that turns them off. */
import { Fragment, type VNode } from "preact";
import { shortcutSetting } from "../keys/keys.ts";
import { Dialog } from "../parts/dialog.tsx";
import { t } from "../words/words.ts";
import { availablePages } from "./navigation.tsx";

export function KeysDialog({ close }: { readonly close: () => void }): VNode {
  const keys: readonly (readonly [readonly string[], string])[] = [
    [["/"], t("shell.keySearch")],
    [["j"], t("shell.keyNext")],
    [["k"], t("shell.keyPrevious")],
    [["Enter"], t("shell.keyOpen")],
    [["x"], t("shell.keySelect")],
    [["Esc"], t("shell.keyClose")],
    [["?"], t("shell.keyHelp")],
    ...availablePages().map(
      (page) =>
        [["g", page.key], t("shell.keyGo", { page: t(`shell.${page.name}` as "shell.overview") })] as const,
    ),
  ];
  return (
    <Dialog title={t("shell.keysTitle")} close={close}>
      <dl class="keys">
        {keys.map(([names, does]) => (
          <Fragment key={names.join(" ")}>
            <dt>
              {names.map((name, at) => (
                <Fragment key={name}>
                  {at > 0 && <span class="muted"> {t("shell.keyThen")} </span>}
                  <kbd>{name}</kbd>
                </Fragment>
              ))}
            </dt>
            <dd>{does}</dd>
          </Fragment>
        ))}
      </dl>
      <label class="switch">
        <input
          type="checkbox"
          checked={shortcutSetting.value === "on"}
          onChange={(event) => {
            shortcutSetting.value = event.currentTarget.checked ? "on" : "off";
          }}
        />
        <span>
          {t("shell.keysUse")}
          <span class="hint">{t("shell.keysUseHint")}</span>
        </span>
      </label>
    </Dialog>
  );
}
