// The administration: one part of the client, loaded when its first page is opened.
import "./style.css";
import { learn } from "../text/text";
import de from "./de.json";
import en from "./en.json";

learn({ en, de });

export { Audit } from "./audit";
export { Groups } from "./groups";
export { Profile } from "./profile";
export { Users } from "./users";
