/** The serving process and its store. */
import type { VNode } from "preact";
import type { LiveResponse, OverviewResponse } from "../../../../src/admin/api/document/overview.ts";
import { KeyValues } from "../../parts/key-values.tsx";
import { linkTo } from "../../routing/links.ts";
import { bytesText, durationText, t } from "../../words/words.ts";

export function Machine({
  answer: { instance, file },
  live: { instance: now, store },
}: {
  readonly answer: OverviewResponse;
  readonly live: LiveResponse;
}): VNode {
  return (
    <section aria-labelledby="machine">
      <h2 id="machine">{t("overview.machineTitle")}</h2>
      <div class="machine">
        <KeyValues
          of={[
            [t("overview.file"), <a href={linkTo(["document"])}>{file}</a>],
            [t("overview.instance"), instance.ninefold],
            [t("overview.node"), instance.node],
            [t("overview.process"), <span class="number">{String(instance.pid)}</span>],
            [t("overview.running"), durationText(now.uptime_seconds * 1000)],
            [
              t("overview.memory"),
              t("overview.memoryOf", { all: bytesText(now.memory_bytes), heap: bytesText(now.heap_bytes) }),
            ],
          ]}
        />
        <KeyValues
          of={[
            [t("overview.store"), store.kind],
            [t("overview.place"), store.path === null ? t("overview.inMemory") : <code>{store.path}</code>],
            [
              t("overview.size"),
              store.log_bytes > 0
                ? t("overview.sizeOf", { size: bytesText(store.bytes), log: bytesText(store.log_bytes) })
                : bytesText(store.bytes),
            ],
            store.free_bytes !== null && [t("overview.free"), bytesText(store.free_bytes)],
          ]}
        />
      </div>
    </section>
  );
}
