// The pages of groups: the list, one group with all sides, copying, replacing and deleting.
import { useState } from "preact/hooks";
import type { App, Props } from "../app";
import { send } from "../api";
import { Switch } from "../ui/form";
import type { Loaded } from "../ui/load";
import type { ColumnOf } from "../ui/table";
import { t } from "../text/text";
import { Identity, type Side } from "./editor";
import { Step } from "./handover";
import { newGroup, type Group, type Ref } from "./model";
import { ownedOf, OwnedList, ProfileEditor, ProfileList, Profiles, useProfile } from "./profiles";
import { allRights } from "./rights";
import type { World } from "./world";

/** Groups is the place of groups. */
export const Groups = ({ app, path }: Props) => (
  <Profiles
    app={app}
    path={path}
    kind="group"
    blank={newGroup}
    all={(world) => world.groups}
    list={(world) => <GroupList app={app} world={world} />}
    belongings={(group) => (
      <>
        <p>{t("groups.reassignLead")}</p>
        <Members app={app} members={group.members} />
      </>
    )}
    remove={(group, world) => <DeleteGroup app={app} group={group} world={world} />}
    edit={(group, world, side) => <GroupEditor key={group.uid} app={app} original={group} world={world} side={side} />}
  />
);

// carries says in a word what a group brings its members.
function carries(g: Group): string {
  const parts = [
    ["tab.rights", g.access_rights],
    ["tab.settings", g.settings],
    ["tab.receive", g.receive_filter],
    ["tab.transmit", g.transmit_filter],
  ] as const;
  return parts
    .map(([word, keys]) => [word, Object.keys(keys).length] as const)
    .filter(([, n]) => n > 0)
    .map(([word, n]) => `${t(word)} ${n}`)
    .join(", ");
}

function GroupList({ app, world }: { app: App; world: World }) {
  const columns: ColumnOf<Group>[] = [
    {
      key: "name",
      heading: t("profile.groupName"),
      text: (g) => g.name,
      cell: (g) => (
        <>
          {g.name}
          {g.locked && <span class="mark">{t("groups.locked")}</span>}
        </>
      ),
      width: "minmax(120px, 1fr)",
    },
    { key: "common", heading: t("profile.common"), text: (g) => g.common_name, from: 900 },
    { key: "description", heading: t("profile.description"), text: (g) => g.description, width: "minmax(0, 1.6fr)", from: 560 },
    { key: "members", heading: t("groups.members"), text: (g) => g.members.length, width: "84px", right: true },
    { key: "carries", heading: t("groups.carries"), text: carries, width: "minmax(110px, 1.4fr)" },
  ];
  return <ProfileList app={app} kind="group" right="user_conf_access" columns={columns} rows={world.groups} />;
}

const mostMembers = 40; // that are shown unasked

function Members({ app, members }: { app: App; members: readonly Ref[] }) {
  const [all, setAll] = useState(false);
  if (members.length === 0) return <p class="quiet">{t("groups.noMembers")}</p>;
  const shown = all ? members : members.slice(0, mostMembers);
  return (
    <ul class="links">
      {shown.map((m) => (
        <li key={m.uid}>
          <button type="button" onClick={() => void app.navigation.go("users", m.uid!)}>
            {m.name}
          </button>
        </li>
      ))}
      {shown.length < members.length && (
        <li>
          <button type="button" onClick={() => setAll(true)}>
            {t("groups.allMembers", { n: members.length })}
          </button>
        </li>
      )}
    </ul>
  );
}

function GroupEditor({ app, original, world, side }: { app: App; original: Group; world: Loaded<World>; side: Side }) {
  const editor = useProfile({ app, kind: "group", original, world, side });
  const { was, now, set, fresh } = editor;
  const stronger = allRights.some((right) => was.access_rights[right] === "allow" && !app.session.may(right));
  const locked = was.locked && !app.session.may("lock_groups"),
    fixed = stronger || locked;
  const notes = (
    <>
      {stronger && <p class="lead problem">{t("groups.stronger", { name: was.name })}</p>}
      {locked && <p class="lead quiet">{t("users.takes", { right: "lock_groups" })}</p>}
    </>
  );
  return (
    <ProfileEditor
      app={app}
      kind="group"
      draft={editor}
      title={fresh ? t("new.groups") : was.name}
      acts={["clone", "reassign", "delete"]}
      notes={notes}
      side={side}
      fixed={fixed}
      world={world.data!}>
      <Identity app={app} draft={now} change={set} fixed={fixed || (!fresh && !app.session.may("change_user"))} named="group">
        <Switch
          label={t("groups.locked")}
          hint={t("groups.lockedHint")}
          at="/locked"
          wide
          on={now.locked}
          disabled={fixed || !app.session.may("lock_groups")}
          onChange={(on) => set({ locked: on })}
        />
      </Identity>
      {!fresh && (
        <fieldset>
          <legend>{t("groups.members")}</legend>
          <Members app={app} members={was.members} />
        </fieldset>
      )}
    </ProfileEditor>
  );
}

// DeleteGroup says what still refers to the group: the server refuses to delete it before that is settled.
function DeleteGroup({ app, group, world }: { app: App; group: Group; world: Loaded<World> }) {
  const shared = ownedOf(world.data!, (r) => r.acl.some((a) => a.uid === group.uid));
  const free = group.members.length === 0 && shared.length === 0;
  const act = async (): Promise<void> => {
    await send("DELETE", "config/group/" + group.uid);
    app.tell(t("users.deleted", { name: group.name }));
    app.navigation.goInstead("groups");
    await world.again();
  };
  return (
    <Step
      app={app}
      kind="group"
      of={group}
      title={t("users.deleteTitle", { name: group.name })}
      bad
      save={t("users.deleteYes", { name: group.name })}
      unsaved={free}
      onSave={act}
      more={
        !free && (
          <button type="button" class="primary" onClick={() => void app.navigation.go("groups", group.uid, "reassign")}>
            {t("groups.replace")}
          </button>
        )
      }>
      {group.members.length > 0 && (
        <>
          <p>{t("groups.deleteMembers", { name: group.name })}</p>
          <Members app={app} members={group.members} />
        </>
      )}
      {shared.length > 0 && (
        <>
          <p>{t("groups.deleteShared", { name: group.name })}</p>
          <OwnedList owned={shared} />
        </>
      )}
      {free && <p>{t("groups.deleteFree", { name: group.name })}</p>}
      {free && (
        <ul class="along">
          <li>{t("users.deleteForever")}</li>
        </ul>
      )}
    </Step>
  );
}
