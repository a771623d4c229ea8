import "./offers.css";
import type { ComponentChildren } from "preact";
import type { Offer } from "./suggest";

interface Props {
  id: string; // of the field that it belongs to
  label: string;
  offers: Offer[];
  active: number; // the one that the keyboard is at
  take: (offer: Offer) => void;
  mark?: (offer: Offer) => ComponentChildren; // before its name
}

/** Offers are the places that a text may mean, below its field. */
export const Offers = ({ id, label, offers, active, take, mark }: Props) => (
  <ul class="offers" id={id + "-offers"} role="listbox" aria-label={label} hidden={offers.length === 0}>
    {offers.map((offer, i) => (
      <li
        key={offer.key}
        id={`${id}-${offer.key}`}
        role="option"
        aria-selected={i === active}
        onPointerDown={(e) => e.preventDefault()}
        onClick={() => take(offer)}>
        {mark?.(offer)}
        <b>{offer.label}</b>
        <span class="quiet">{offer.more}</span>
      </li>
    ))}
  </ul>
);
