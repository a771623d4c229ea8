// The pages of groups: the list, one group with all sides, copying, replacing and deleting.
import { useEffect, useState } from "preact/hooks";
import type { App, Props } from "../app";
import { send } from "../api";
import { put } from "../change";
import { nothingWrong, Sheet, Switch, Table, wrongOf, type ColumnOf } from "../ui/form";
import { Heading } from "../ui/heading";
import { t } from "../text/text";
import { clashWords, Identity, marksOf, SideBody, sideOf, sideWith, Tabs, useUnsaved } from "./editor";
import { Copy, HandOver } from "./handover";
import { libraryKinds, loadWorld, NotLoaded, useLoaded, type Loaded, type World } from "./load";
import { changes, newGroup, type Group, type Ref } from "./model";
import { allRights } from "./rights";

/** Groups is the place of groups: the list, or what the path names. */
export function Groups({ app, path }: Props) {
  const world = useLoaded(() => loadWorld(app));
  const [ref, act] = path;
  useEffect(() => {
    if (!ref && world.data) void world.again();
  }, [ref]);
  if (!world.data) return <NotLoaded loaded={world} />;
  if (!ref) return <GroupList app={app} world={world.data} />;
  const group = ref === "new" ? newGroup : world.data.groups.find((g) => g.uid === ref || g.name === ref);
  if (!group)
    return (
      <>
        <Heading app={app} title={t("menu.groups")} back={["groups"]} />
        <p class="empty">{t("groups.gone")}</p>
      </>
    );
  if (act === "clone") return <Copy app={app} kind="group" of={group} again={world.again} />;
  if (act === "reassign") {
    return (
      <HandOver app={app} kind="group" of={group} all={world.data.groups} again={world.again}>
        <p>{t("groups.reassignLead")}</p>
        <Members app={app} members={group.members} />
      </HandOver>
    );
  }
  if (act === "delete") return <DeleteGroup app={app} group={group} world={world} />;
  return <GroupEditor key={group.uid} app={app} original={group} world={world} side={sideOf(act)} />;
}

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
  return (
    <>
      <Heading app={app} title={t("menu.groups")}>
        {app.session.may("user_conf_access") && (
          <button class="primary" onClick={() => void app.navigation.go("groups", "new")}>
            {t("groups.new")}
          </button>
        )}
      </Heading>
      <Table
        label={t("menu.groups")}
        columns={columns}
        rows={world.groups}
        id={(g) => g.uid}
        onOpen={(g) => void app.navigation.go("groups", g.uid)}
        empty={t("groups.empty")}
      />
    </>
  );
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

function GroupEditor({ app, original, world, side }: { app: App; original: Group; world: Loaded<World>; side: ReturnType<typeof sideOf> }) {
  const fresh = original.uid === "";
  const [was, setWas] = useState(original);
  const [draft, setDraft] = useState(original);
  const [wrong, setWrong] = useState(nothingWrong);
  const body = changes(was, draft),
    edited = Object.keys(body).length > 0;
  useUnsaved(app, edited);
  const stronger = allRights.some((right) => was.access_rights[right] === "allow" && !app.session.may(right));
  const locked = was.locked && !app.session.may("lock_groups");
  const fixed = stronger || locked;
  const change = (part: Partial<Group>): void => setDraft((now) => ({ ...now, ...part }));
  const save = async (): Promise<void> => {
    try {
      if (fresh) {
        const { uid } = await send<{ uid: string }>("POST", "config/group", body);
        app.tell(t("users.made", { name: draft.name }));
        await world.again();
        app.navigation.goInstead("groups", uid);
        return;
      }
      const now = await put(app, "config/group/" + was.uid, was.name, was, body, clashWords(was, draft));
      if (!now) return;
      setWas(now);
      setDraft(now);
      setWrong(nothingWrong);
      app.tell(t("users.changed", { name: now.name }));
      void app.session.refresh();
      await world.again();
    } catch (problem) {
      const what = wrongOf(problem),
        to = sideWith(what);
      setWrong(what);
      if (to && to !== side) void app.navigation.go("groups", app.navigation.path[1], ...(to === "details" ? [] : [to]));
    }
  };
  return (
    <>
      <Heading app={app} title={fresh ? t("groups.new") : was.name} back={["groups"]}>
        {!fresh && (
          <>
            <button disabled={edited} onClick={() => void app.navigation.go("groups", was.uid, "clone")}>
              {t("users.clone")}
            </button>
            <button disabled={edited} onClick={() => void app.navigation.go("groups", was.uid, "reassign")}>
              {t("groups.replace")}
            </button>
            <button disabled={edited} onClick={() => void app.navigation.go("groups", was.uid, "delete")}>
              {t("users.delete")}
            </button>
          </>
        )}
      </Heading>
      {stronger && <p class="lead problem">{t("groups.stronger", { name: was.name })}</p>}
      {locked && <p class="lead quiet">{t("users.takes", { right: "lock_groups" })}</p>}
      <Tabs app={app} name={draft.name || t("groups.new")} side={side} marks={marksOf(draft)} />
      <Sheet
        wrong={wrong}
        save={t(fresh ? "groups.create" : "groups.save")}
        unsaved={edited}
        onSave={save}
        onCancel={() => void app.navigation.go("groups")}>
        {side !== "details" ? (
          <SideBody app={app} was={was} draft={draft} change={change} wrong={wrong} fixed={fixed} side={side} world={world.data!} />
        ) : (
          <>
            <Identity
              app={app}
              draft={draft}
              change={change}
              wrong={wrong}
              fixed={fixed || (!fresh && !app.session.may("change_user"))}
              named="group">
              <Switch
                label={t("groups.locked")}
                hint={t("groups.lockedHint")}
                at="/locked"
                wrong={wrong}
                wide
                on={draft.locked}
                disabled={fixed || !app.session.may("lock_groups")}
                onChange={(on) => change({ locked: on })}
              />
            </Identity>
            {!fresh && (
              <fieldset>
                <legend>{t("groups.members")}</legend>
                <Members app={app} members={was.members} />
              </fieldset>
            )}
          </>
        )}
      </Sheet>
    </>
  );
}

// DeleteGroup says what still refers to the group: the server refuses to delete it before that is settled.
function DeleteGroup({ app, group, world }: { app: App; group: Group; world: Loaded<World> }) {
  const [wrong, setWrong] = useState(nothingWrong);
  const shared = libraryKinds
    .map((kind) => ({ kind, names: world.data!.library[kind].filter((r) => r.acl.some((a) => a.uid === group.uid)).map((r) => r.name) }))
    .filter((k) => k.names.length > 0);
  const free = group.members.length === 0 && shared.length === 0;
  const act = async (): Promise<void> => {
    try {
      await send("DELETE", "config/group/" + group.uid);
      app.tell(t("users.deleted", { name: group.name }));
      app.navigation.goInstead("groups");
      await world.again();
    } catch (problem) {
      setWrong(wrongOf(problem));
    }
  };
  return (
    <>
      <Heading app={app} title={t("users.deleteTitle", { name: group.name })} back={["groups", group.uid]} />
      <Sheet
        bad
        wrong={wrong}
        save={t("users.deleteYes", { name: group.name })}
        unsaved={free}
        onSave={act}
        onCancel={() => void app.navigation.go("groups", group.uid)}
        more={
          !free && (
            <button type="button" class="primary" onClick={() => void app.navigation.go("groups", group.uid, "reassign")}>
              {t("groups.replace")}
            </button>
          )
        }>
        <fieldset class="stack">
          {group.members.length > 0 && (
            <>
              <p>{t("groups.deleteMembers", { name: group.name })}</p>
              <Members app={app} members={group.members} />
            </>
          )}
          {shared.length > 0 && (
            <>
              <p>{t("groups.deleteShared", { name: group.name })}</p>
              <dl class="owned">
                {shared.map((k) => (
                  <div key={k.kind}>
                    <dt>{t("owned." + k.kind)}</dt>
                    <dd>{k.names.join(", ")}</dd>
                  </div>
                ))}
              </dl>
            </>
          )}
          {free && <p>{t("groups.deleteFree", { name: group.name })}</p>}
          {free && (
            <ul class="along">
              <li>{t("users.deleteForever")}</li>
            </ul>
          )}
        </fieldset>
      </Sheet>
    </>
  );
}
