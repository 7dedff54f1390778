//! Cues of French.

use super::CueKind::{General, Local, Orders, Requests, Stops};
use super::{Cue, CueWords, LanguageMark, cue};
use crate::rules::extraction::Reason::{Disagreement, OneOff, Opinion, Praise, Status};

pub(super) static WORDS: CueWords = CueWords {
    code: "fr",
    verbs: "",
    told_by: LanguageMark::Words(
        "le la les des une est pas dans pour avec sur ce cette on nous vous il merci que qui ne et au aux du jamais toujours sont doit doivent être c'est ça chaque au lieu évitez utilisez préférez ici je tu peux n'utilise d'utiliser tous toutes très c'est pourquoi de en par",
    ),
    leaders: r"^(?:(?:nit|remarque|petite remarque|remarque générale|note|pour info|attention|rappel|petit rappel|important|ps|détail)\s*[:,]+\s*|(?:au passage|sinon|aussi|et|mais|oui|non|ok|merci|bonjour|salut)[,:]\s+|(?:s'il (?:te|vous) pla[iî]t|stp|svp)[, ]+)",
    clauses: r"[,(:]\s*(?:car|parce que?|puisque|et|mais)?\s*((?:on (?:n'|ne|utilise|évite|préfère)|nous|chez nous|dans ce projet|par convention|toujours|jamais|évite[rz]?)\b)|\s(?:car|puisque)\s+((?:on|nous)\b)",
    takes_back: r"^(?:laisse tomber|oublie|au temps pour moi|autant pour moi|en fait non|je retire)\b",
    cues: CUES,
};

static CUES: &[Cue] = &[
    cue("disagrees", Stops(Disagreement), r"\b(?:je ne (?:pense|crois|suis|vois) pas|pas d'accord|pas convaincue?|pas besoin|pas obligé|exagéré|ça me paraît|n'est pas nécessaire|depuis quand)\b"),
    cue("prefers for oneself", Stops(Opinion), r"\b(?:personnellement|je (?:préfère|préférerais|trouve|pense|mettrais|ferais|suggère|dirais)|question de goût|à mon avis|peut-être|éventuellement|serait (?:bien|mieux|sympa|pas mal)|on pourrait|tu pourrais|facultatif|optionnel|comme tu veux)\b"),
    cue("praises", Stops(Praise), r"^(?:très |vraiment )*(?:super|bravo|bien joué|bien vu|merci(?:$|[ ,!.]+(?:pour|beaucoup|bien))|propre|excellent|génial|parfait|beau|joli|top|nickel|lgtm|j'aime|j'adore)\b"),
    cue("tells what was done", Stops(Status), r"^(?:c'est fait|fait|corrigé|j'ai|modifié|ajouté|supprimé|ok,? (?:je|c'est)|je (?:vais|m'en|corrige)|d'accord|résolu|mis à jour|renommé)\b"),
    cue("misses something", Stops(OneOff), r"^(?:il (?:manque|y a|faudrait (?:renommer|supprimer|ajouter))|manque|typo|faute de frappe|coquille|oubli|pas de (?:problème|souci|soucis))\b|\bn'est (?:jamais|plus|pas) (?:appelée?|utilisée?|nécessaire|utile)\b"),
    cue("requests", Requests, r"^(?:peux-tu|pouvez-vous|pourrais-tu|pourriez-vous|peut-on|pourrait-on|on peut)\b"),
    cue("always, never", Orders(2), r"\b(?:toujours|jamais|systématiquement|impérativement|obligatoirement)\b").unless(r"\b(?:est|sont|renvoie|retourne|échoue|n'est|était|a|ont) (?:toujours|jamais)\b|\btoujours (?:pas|null|vrai|faux)\b"),
    cue("we do", Orders(1), r"\b(?:on (?:n'|ne )?(?:utilise|met|écrit|garde|nomme|veut|fait|passe|logge|teste|essaie|place|suit|range|évite|préfère|sépare|type)|nous (?:utilisons|évitons|préférons|mettons|écrivons|gardons|n'|ne))"),
    cue("we avoid, we do not", Orders(2), r"\bon (?:évite|préfère|privilégie|essaie d'éviter|n'\S+ (?:pas|jamais|plus)|ne \S+ (?:pas|jamais|plus|que))\b|\bnous (?:évitons|préférons|n'\S+ (?:pas|jamais)|ne \S+ (?:pas|jamais))\b").unless(r"\bon (?:n'a|ne (?:sait|peut|voit)) (?:pas|plus)\b|\bon n'a\b"),
    cue("avoid, prefer", Orders(2), r"^(?:merci d')?(?:évite[rz]?|préfére[rz]|préfère|préférez|privilégie[rz]?)\b|\b(?:à éviter|préférez|évitez|merci d'éviter|il faut éviter|mieux vaut)\b"),
    cue("do not", Orders(2), r"^(?:ne (?:pas|jamais|plus) \S+|n'\S+ (?:pas|jamais|plus)|ne \S+ (?:pas|jamais|plus)|pas de|jamais de|aucune?)\b"),
    cue("use one instead of the other", Orders(2), r"\b(?:utilise[rz]?|emploie[rz]?|employez|passe[rz]? par|écri(?:re|vez|s))\b.{2,80}\b(?:au lieu|plutôt que?|à la place)\b"),
    cue("things should", Orders(2), r"^(?:les|nos|tous les|toutes les|des) .{3,60}\b(?:doivent|devraient|ne doivent|ne devraient|commencent|s'écrivent|vont dans|se nomment)\b").unless(r"^les (?:deux|trois|tests (?:doivent|devraient) passer|autres|appels)\b|^les \S+ (?:ci-|ici)"),
    cue("things are", Orders(1), r"\b(?:les|nos) .{3,50}\b(?:sont|vont|restent|suivent|prennent|utilisent)\b"),
    cue("should", Orders(0), r"\b(?:il (?:faut|ne faut)|doit|doivent|devrait|devraient|pensez à|pense à|veillez à|assurez-vous|merci de|n'oubliez pas|interdit\w*|obligatoire\w*)\b"),
    cue("is not allowed", Orders(2), r"\b(?:est|sont) (?:\S+ ){0,2}(?:interdite?s?|proscrite?s?|obligatoires?|déconseillée?s?|à éviter)\b"),
    cue("an order", Orders(0), r"^(?:merci (?:de|d')|veuillez|pensez|pense|utilise[rz]?|ajoute[rz]?|mettez|mets|écrivez|gardez|nommez|testez|documentez|fermez|placez|respectez|suivez)"),
    cue("general", General(2), r"\b(?:chaque|tous les|toutes les|tout(?:e)? nouve\w+|en général|généralement|de manière générale|par convention|convention\w*|à l'avenir|dorénavant|désormais|la prochaine fois|dans (?:ce|le|notre|tout le) (?:projet|dépôt|repo|code)|dans toute la base|partout|chez nous|guide de style|règles?|bonnes? pratiques?|d'habitude|normalement|à chaque fois|quand (?:on|vous)|lorsqu'on)\b").unless(r"\btous les (?:appels|tests (?:passent|sont)|endroits|deux|trois)\b"),
    cue("here", Local(3), r"\b(?:ici|ci-dessus|ci-dessous|lignes? \d+|cette? [a-zéèàêç\u{e000}]+|cet [a-zé]+|ces [a-zé]+|plus (?:haut|bas))\b").unless(r"\bdans ce (?:projet|dépôt|repo|module)\b|\bcette (?:base|règle|convention)\b|\bce (?:genre|type)\b|\bpar ici\b"),
    cue("it", Local(3), r"^(?:ça|ce|c'est|il|elle|cela|celui|celle|ils|elles)\b").unless(r"^il (?:ne )?faut\b|^c'est (?:la|notre|une) (?:convention|règle)|^il est (?:interdit|obligatoire)"),
    cue("the one", Local(2), r"^(?:le|la|l')\s?[a-zéèà\u{e000}]+ (?:doit|devrait|ne doit|n'est|est)\b|\b(?:le|la) (?:second|seconde|premier|première|dernier|dernière|deuxième|nouveau|nouvelle|ancien|ancienne)\b"),
    cue("changes one place", Local(2), r"^(?:supprime|renomme|déplace|enlève|retire|corrige|remplace|ajoute)[rz]?\b").unless(r"\b(?:chaque|toujours|tout|toute|systématiquement)\b"),
    cue("speaks of a possible future", Local(4), r"\b(?:à l'avenir|plus tard|un jour)\b.*\b(?:pourrait|pourrons|voudra|peut-être)\b|\bpourrait\b.*\b(?:plus tard|à l'avenir)\b"),
];
