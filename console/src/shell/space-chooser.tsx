/**
 * Selector of a sandbox's data space. The list is fetched when it opens, because data spaces are
 * created and deleted at any time.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { SpacesResponse } from "../../../src/admin/api/sandbox/spaces.ts";
import { call } from "../api/call.ts";
import { ApiError } from "../api/api-error.ts";
import { space } from "../api/space.ts";
import { navigate, path } from "../routing/address.ts";
import { t } from "../words/words.ts";
import { service } from "./service.ts";

export function SpaceChooser(): VNode | null {
  const [names, setNames] = useState<readonly string[]>([]);
  const sandbox = service.value?.sandbox;
  if (!sandbox) return null;
  const list = () =>
    call<SpacesResponse>("GET", "/api/spaces", { query: { space: undefined } }).then(
      ({ spaces }) => setNames(spaces.map((space) => space.space)),
      (error: unknown) => {
        // The loaded data spaces can still be selected.
        if (!(error instanceof ApiError)) throw error;
      },
    );
  const here = space.value ?? sandbox.standard;
  const all = [...new Set([sandbox.standard, here, ...names])];
  // Data spaces don't share records, so the page starts again.
  const go = (name: string) => {
    const first = path.value.split("/")[1] ?? "";
    navigate(`/${first}?space=${name === sandbox.standard ? "" : encodeURIComponent(name)}`);
  };
  return (
    <label class="space-chooser">
      <span class="muted">{t("shell.space")}</span>
      <select
        value={here}
        onFocus={list}
        onPointerDown={list}
        onChange={(event) => go(event.currentTarget.value)}
      >
        {all.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
