// A sector is an area that groups look after: an alert in it is theirs first.
import type { App } from "../app";
import { EscalationFields, escalationOf, escalationText, type Escalation } from "../library/escalation";
import { Told } from "../library/sheet";
import { aclOf } from "../library/acl";
import { Names } from "../library/sharing";
import { t } from "../text/text";
import { Switch } from "../ui/form";
import type { Shape } from "./library";

/** Sector is what the sheet edits of it. */
export interface Sector extends Escalation {
  groups: string[];
}

/** sectorOf reads the sector of a shape, null where it is none. */
export const sectorOf = (shape: Shape | undefined): Sector | null =>
  shape?.sector ? { groups: shape.sector.groups.map((ref) => ref.name), ...escalationOf(shape.sector) } : null;

/** sectorBody writes it as the API takes it. */
export const sectorBody = (sector: Sector | null, was: Shape | undefined): object | null =>
  sector && {
    groups: aclOf(sector.groups, was?.sector?.groups ?? []),
    escalate_after: sector.escalate_after,
    escalate_to: aclOf(sector.escalate_to, was?.sector?.escalate_to ?? []),
  };

/** SectorFields makes a shape a sector, or none. */
export const SectorFields = ({ app, now, onChange }: { app: App; now: Sector | null; onChange: (now: Sector | null) => void }) => (
  <div class="sectorfields">
    <Switch
      wide
      label={t("shape.sector")}
      hint={t("shape.sectorHint")}
      at={now ? undefined : "/sector"}
      on={now !== null}
      onChange={(on) => onChange(on ? { groups: [], escalate_after: "", escalate_to: [] } : null)}
    />
    {now && (
      <>
        <Names
          app={app}
          label={t("shape.sectorOf")}
          hint={t("shape.sectorOfHint")}
          at="/sector/groups"
          names={now.groups}
          sharing
          onChange={(groups) => onChange({ ...now, groups })}
        />
        <EscalationFields app={app} at="/sector" now={now} sharing onChange={(part) => onChange({ ...now, ...part })} />
      </>
    )}
  </div>
);

/** SectorFacts tells of the sector of a shape that is not the user's to change. */
export const SectorFacts = ({ sector }: { sector: Sector | null }) =>
  sector && (
    <>
      <Told word={t("shape.sectorOf")}>{sector.groups.join(", ")}</Told>
      <Told word={t("escalate.unanswered")}>{escalationText(sector)}</Told>
    </>
  );
