/* <search.h>: trees, tables and lists. A tree is not balanced, which nobody can tell who does not count comparisons. The table
 * of hsearch is one for all threads, and unprotected. */
#include "internal.h"
#include "memory.c"
#include "string.c"

typedef int (*comparison)(const void *, const void *);

/* What a caller gets is a pointer to the pointer to its element. */
struct tree_node {
    const void *element;
    struct tree_node *left, *right;
};

/* The link to the element that is equal, or to where it belongs. */
static struct tree_node **tree_link(const void *element, struct tree_node **root, comparison compare, struct tree_node **parent) {
    struct tree_node **link = root;
    while (*link) {
        int order = compare(element, (*link)->element);
        if (!order)
            break;
        if (parent)
            *parent = *link;
        link = order < 0 ? &(*link)->left : &(*link)->right;
    }
    return link;
}

void *tsearch(const void *element, struct tree_node **root, comparison compare) {
    if (!root)
        return SELVEDGE_NULL;
    struct tree_node **link = tree_link(element, root, compare, SELVEDGE_NULL);
    if (!*link) {
        struct tree_node *node = allocate(sizeof *node, HEAP_ALIGN);
        if (!node)
            return SELVEDGE_NULL;
        node->element = element;
        node->left = node->right = SELVEDGE_NULL;
        *link = node;
    }
    return *link;
}

void *tfind(const void *element, struct tree_node *const *root, comparison compare) {
    struct tree_node *top = root ? *root : SELVEDGE_NULL;
    return *tree_link(element, &top, compare, SELVEDGE_NULL);
}

/* The parent of what was deleted; for the root, some pointer that is not null. */
void *tdelete(const void *element, struct tree_node **root, comparison compare) {
    if (!root)
        return SELVEDGE_NULL;
    struct tree_node *parent = (struct tree_node *)root;
    struct tree_node **link = tree_link(element, root, compare, &parent), *node = *link;
    if (!node)
        return SELVEDGE_NULL;
    if (node->left && node->right) {
        struct tree_node **next = &node->right;
        while ((*next)->left)
            next = &(*next)->left;
        struct tree_node *moved = *next;
        *next = moved->right;
        moved->left = node->left;
        moved->right = node->right;
        *link = moved;
    } else {
        *link = node->left ? node->left : node->right;
    }
    __selvedge_free(node);
    return parent;
}

enum tree_visit { BEFORE_BOTH, BETWEEN_BOTH, BEHIND_BOTH, AT_LEAF };

static void walk_tree(const struct tree_node *node, void (*visit)(const void *, enum tree_visit, int), int depth) {
    if (!node->left && !node->right) {
        visit(node, AT_LEAF, depth);
        return;
    }
    visit(node, BEFORE_BOTH, depth);
    if (node->left)
        walk_tree(node->left, visit, depth + 1);
    visit(node, BETWEEN_BOTH, depth);
    if (node->right)
        walk_tree(node->right, visit, depth + 1);
    visit(node, BEHIND_BOTH, depth);
}

void twalk(const struct tree_node *root, void (*visit)(const void *, enum tree_visit, int)) {
    if (root && visit)
        walk_tree(root, visit, 0);
}

static void destroy_tree(struct tree_node *node, void (*release)(void *)) {
    if (node->left)
        destroy_tree(node->left, release);
    if (node->right)
        destroy_tree(node->right, release);
    release((void *)node->element);
    __selvedge_free(node);
}

void tdestroy(struct tree_node *root, void (*release)(void *)) {
    if (root)
        destroy_tree(root, release);
}

/* ---- tables ---- */

struct table_entry {
    char *key;
    void *data;
};

struct table_node {
    struct table_entry entry;
    struct table_node *next;
};

/* glibc's struct hsearch_data. */
struct search_table {
    struct table_node *first;
    unsigned room, filled;
};

enum { FIND_ENTRY, ENTER_ENTRY };

static int create_table(__selvedge_size room, struct search_table *table) {
    table->first = SELVEDGE_NULL;
    table->room = (unsigned)room;
    table->filled = 0;
    return 1;
}

static void destroy_table(struct search_table *table) {
    while (table->first) {
        struct table_node *next = table->first->next;
        __selvedge_free(table->first);
        table->first = next;
    }
}

/* glibc rounds the room up; there is always as much as was asked for. */
static struct table_entry *search_table(struct table_entry wanted, int action, struct search_table *table) {
    for (struct table_node *node = table->first; node; node = node->next)
        if (same_text(node->entry.key, wanted.key))
            return &node->entry;
    if (action == FIND_ENTRY || table->filled > table->room) {
        selvedge_errno = action == FIND_ENTRY ? E_SRCH : E_NOMEM;
        return SELVEDGE_NULL;
    }
    struct table_node *node = __selvedge_alloc(sizeof *node, 8);
    node->entry = wanted;
    node->next = table->first;
    table->first = node;
    table->filled++;
    return &node->entry;
}

static struct search_table selvedge_search_table SELVEDGE_UNPROTECTED;

int hcreate(__selvedge_size room) { return create_table(room, &selvedge_search_table); }
void hdestroy(void) { destroy_table(&selvedge_search_table); }
struct table_entry *hsearch(struct table_entry wanted, int action) { return search_table(wanted, action, &selvedge_search_table); }
int hcreate_r(__selvedge_size room, struct search_table *table) { return create_table(room, table); }
void hdestroy_r(struct search_table *table) { destroy_table(table); }

int hsearch_r(struct table_entry wanted, int action, struct table_entry **found, struct search_table *table) {
    *found = search_table(wanted, action, table);
    return *found != SELVEDGE_NULL;
}

/* ---- lists ---- */

struct list_element {
    struct list_element *next, *previous;
};

void insque(struct list_element *element, struct list_element *before) {
    if (!before) {
        element->next = element->previous = SELVEDGE_NULL;
        return;
    }
    element->next = before->next;
    element->previous = before;
    before->next = element;
    if (element->next)
        element->next->previous = element;
}

void remque(struct list_element *element) {
    if (element->next)
        element->next->previous = element->previous;
    if (element->previous)
        element->previous->next = element->next;
}
