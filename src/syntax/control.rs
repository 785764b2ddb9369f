//! Blocks, branches and loops: which variables are in force where, and which value comes out.

use ra_ap_syntax::ast::{self, HasLoopBody};

use super::extract::Extractor;
use super::{Value, ValueId};

impl Extractor<'_> {
    /// A block, with a scope of its own; its value is that of its last expression.
    pub(super) fn block(&mut self, it: &ast::BlockExpr) -> Option<ValueId> {
        let mark = self.locals.enter();
        let value = it.stmt_list().and_then(|list| self.statements(&list));
        self.locals.leave(mark);
        value
    }

    fn statements(&mut self, list: &ast::StmtList) -> Option<ValueId> {
        for statement in list.statements() {
            match statement {
                ast::Stmt::LetStmt(it) => self.let_statement(&it),
                ast::Stmt::ExprStmt(it) => {
                    self.optional(it.expr());
                }
                ast::Stmt::Item(it) => self.nested_item(&it),
            }
        }
        self.optional(list.tail_expr())
    }

    fn let_statement(&mut self, it: &ast::LetStmt) {
        let ty = self.optional_type(it.ty());
        let value = self.optional(it.initializer());
        let value = self.typed(ty).or(value);
        it.let_else().and_then(|otherwise| otherwise.block_expr()).map(|block| self.block(&block));
        self.optional_pattern(it.pat(), value);
    }

    pub(super) fn if_expr(&mut self, it: &ast::IfExpr) -> Option<ValueId> {
        let mut branches = Vec::new();
        // A chain of `else if` is walked in a loop: it can be long.
        let mut next = Some(it.clone());
        while let Some(it) = next.take() {
            let mark = self.locals.enter();
            self.optional(it.condition());
            branches.extend(it.then_branch().and_then(|block| self.block(&block)));
            self.locals.leave(mark);
            match it.else_branch() {
                Some(ast::ElseBranch::Block(block)) => branches.extend(self.block(&block)),
                Some(ast::ElseBranch::IfExpr(it)) => next = Some(it),
                None => {}
            }
        }
        self.one_of(branches)
    }

    pub(super) fn match_expr(&mut self, it: &ast::MatchExpr) -> Option<ValueId> {
        let value = self.optional(it.expr());
        let mut branches = Vec::new();
        for arm in it.match_arm_list().iter().flat_map(ast::MatchArmList::arms) {
            let mark = self.locals.enter();
            self.optional_pattern(arm.pat(), value);
            self.optional(arm.guard().and_then(|guard| guard.condition()));
            branches.extend(self.optional(arm.expr()));
            self.locals.leave(mark);
        }
        self.one_of(branches)
    }

    fn one_of(&mut self, branches: Vec<ValueId>) -> Option<ValueId> {
        match branches.as_slice() {
            [] => None,
            [only] => Some(*only),
            _ => Some(self.value(Value::OneOf(branches.into()))),
        }
    }

    pub(super) fn for_expr(&mut self, it: &ast::ForExpr) -> Option<ValueId> {
        let iterable = self.optional(it.iterable());
        let element = iterable.map(|iterable| self.value(Value::Element(iterable)));
        let mark = self.locals.enter();
        self.optional_pattern(it.pat(), element);
        it.loop_body().map(|body| self.block(&body));
        self.locals.leave(mark);
        None
    }

    pub(super) fn while_expr(&mut self, it: &ast::WhileExpr) -> Option<ValueId> {
        let mark = self.locals.enter();
        self.optional(it.condition());
        it.loop_body().map(|body| self.block(&body));
        self.locals.leave(mark);
        None
    }
}
