/** Six live figures of the service, each with a link to its source. */
import type { ComponentChildren, VNode } from "preact";
import type { LiveResponse } from "../../../../src/admin/api/document/overview.ts";
import { Sparkline } from "../../parts/sparkline.tsx";
import { Time } from "../../parts/time.tsx";
import { linkTo } from "../../routing/links.ts";
import { durationText, numberText, percentText, t } from "../../words/words.ts";
import { RichMessage } from "../../words/rich-message.tsx";

/** The service counts up to this number. */
const countedMost = 10_001;

export function Vitals({ live }: { readonly live: LiveResponse }): VNode {
  const { traffic } = live;
  const isQuiet = traffic.requests === 0;
  const since = isQuiet ? t("overview.noTraffic") : undefined;
  return (
    <section aria-labelledby="vitals">
      <h2 id="vitals">{t("overview.goingTitle")}</h2>
      <div class="vitals">
        <Vital
          name={t("overview.rate")}
          value={numberText(roundRate(traffic.per_second))}
          about={`${t("overview.rateAbout")} · ${t("overview.rateOf", { count: traffic.requests })}`}
          link={linkTo(["requests"])}
        >
          <Sparkline
            values={padHistory(traffic.history)}
            label={t("overview.rateOf", { count: traffic.requests })}
          />
        </Vital>
        <Vital
          name={t("overview.errors")}
          value={percentText(traffic.error_share)}
          about={since ?? t("overview.errorsOf")}
          tone={traffic.error_share > 0 ? "bad" : ""}
          link={linkTo(["requests"], { status: "5xx" })}
        />
        <Vital
          name={t("overview.refused")}
          value={percentText(traffic.refused_share)}
          about={since ?? t("overview.refusedOf")}
          link={linkTo(["requests"], { status: "4xx" })}
        />
        <Vital
          name={t("overview.p95")}
          value={traffic.p95_ms === null ? "–" : durationText(traffic.p95_ms)}
          about={
            traffic.p50_ms === null
              ? t("overview.noTraffic")
              : t("overview.p95Of", { p50: durationText(traffic.p50_ms) })
          }
          link={linkTo(["requests"], { view: "endpoints" })}
        />
        <Vital
          name={t("overview.timers")}
          value={countText(live.due_timers, countedMost)}
          about={
            live.next_timer === null ? (
              t("overview.noTimer")
            ) : (
              <RichMessage name="overview.nextTimer" values={{ when: <Time at={live.next_timer} /> }} />
            )
          }
        />
        <Vital
          name={t("overview.undelivered")}
          value={countText(live.undelivered, countedMost)}
          about={t("overview.undeliveredOf")}
          tone={live.undelivered > 0 ? "warn" : ""}
          link={linkTo(["deliveries"], { state: "open" })}
        />
      </div>
    </section>
  );
}

function Vital({
  name,
  value,
  about,
  tone = "",
  link,
  children,
}: {
  readonly name: string;
  readonly value: string;
  readonly about: ComponentChildren;
  readonly tone?: "" | "bad" | "warn";
  readonly link?: string;
  readonly children?: ComponentChildren;
}): VNode {
  return (
    <div class={`vital ${children ? "is-wide" : ""}`}>
      <p class="vital-name">
        {link === undefined ? (
          name
        ) : (
          <a class="vital-link" href={link}>
            {name}
          </a>
        )}
      </p>
      <p class={`vital-value number ${tone}`}>{value}</p>
      <p class="vital-about">{about}</p>
      {children}
    </div>
  );
}

function countText(count: number, max: number): string {
  return count >= max ? t("overview.atLeast", { count: max - 1 }) : numberText(count);
}

function roundRate(rate: number): number {
  return rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate);
}

/** Pads the history to a full minute, so that bars have the same width from the first second on. */
function padHistory(history: readonly number[]): readonly number[] {
  const recent = history.slice(-60);
  return [...Array.from({ length: 60 - recent.length }, () => 0), ...recent];
}
